// The cube states that a fast search carries along, level by level.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "cube/cube_value.hpp"
#include "fast/value_source.hpp"

namespace botd::fast {

// All nodes of one depth (level) value the same states for the side on roll there. A state whose side may double is
// valued as a pair, without the double and after double and take; the next level sees both from the other side.
// States that have become equal are valued once.
class CubePlan {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Pair {
    std::size_t no_double = 0;  // places in Level::expanded
    std::size_t double_take = kNone;
  };

  struct Level {
    std::vector<Pair> states;         // one for each state
    std::vector<CubeValue> expanded;  // as the side on roll sees them; the next level's states, turned
    std::unique_ptr<const CubeStates> leaves;  // the expanded ones, for the plays of a node
    std::unique_ptr<const CubeStates> actual;  // the first of them, by which plays are chosen
  };

  // Levels 0 .. depth - 1; depth >= 1. root_expands is false for the root of a cube decision, whose states are the
  // two sides of the question. The first state is the actual one.
  CubePlan(const ValueSource& source, std::span<const CubeState> root_states, int depth, bool root_expands);

  [[nodiscard]] int depth() const { return static_cast<int>(levels_.size()); }
  [[nodiscard]] const Level& level(std::size_t i) const { return levels_[i]; }

  // One native value for each state of a level, out of those of its expanded ones, at a position where a drop costs
  // the opponent `pass_cost` cubes; all in the view of the side on roll.
  void collapse(std::size_t level, std::span<const double> expanded, int pass_cost, std::span<double> values) const;

 private:
  std::vector<Level> levels_;
  bool beavers_;
};

}  // namespace botd::fast
