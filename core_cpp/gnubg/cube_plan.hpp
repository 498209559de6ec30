// The cube states that a search carries along, level by level.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "gnubg/cube_value.hpp"

namespace botd::gnubg {

// All nodes of one depth (level) value the same states for the side on roll there. A state whose side may
// double is valued as a pair, without the double and after double and take; the next level sees both from the
// other side. States that have become equal are valued once.
class CubePlan {
 public:
  struct Pair {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::size_t no_double = 0;  // places in Level::expanded
    std::size_t double_take = kNone;
  };
  struct Level {
    std::vector<Pair> states;         // one for each state
    std::vector<CubeValue> expanded;  // as the side on roll sees them; the next level's states, turned
  };

  // More states than any search to a depth of 4 plies can meet.
  static constexpr std::size_t kMaxStates = 16;
  using Values = std::array<double, kMaxStates>;

  // Levels 0 .. depth. root_expands is false for the root of a cube decision, whose states are the two sides
  // of the question. The first state is the actual one: it alone decides how plays are chosen.
  CubePlan(std::span<const CubeState> root_states, int depth, bool root_expands,
           const MatchEquityTable& table);

  [[nodiscard]] int depth() const { return static_cast<int>(levels_.size()) - 1; }
  [[nodiscard]] const Level& level(int i) const { return levels_[static_cast<std::size_t>(i)]; }

  // The actual cube as the side on roll at a level sees it.
  [[nodiscard]] const CubeValue& actual(int i) const { return level(i).expanded.front(); }

 private:
  std::vector<Level> levels_;
};

// One native value for each state of a level, out of those of its expanded ones, at a position where a drop
// costs the opponent `pass_cost` cubes.
void collapse(const CubePlan::Level& level, const CubePlan::Values& expanded, int pass_cost,
              CubePlan::Values& values);

}  // namespace botd::gnubg
