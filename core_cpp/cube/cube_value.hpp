// Worth of a position with a cube, from its cubeless outcome probabilities.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cube/cube_state.hpp"
#include "cube/match_equity.hpp"
#include "rules/board.hpp"
#include "rules/probabilities.hpp"
#include "rules/scoring.hpp"

namespace botd {

// Share of the live-cube value (Janowski's x) at a position: 0.68 in contact, and by length in a race.
[[nodiscard]] double cube_efficiency(const Board& board);

// The conversion formulas of one cube state, with everything that depends on the score looked up once.
//
// "Native" values are points per unit of the cube in money play and match winning chances in a match, seen by
// the own side of the state. Formulas: Janowski's interpolation between a dead and a fully live cube.
class CubeValue {
 public:
  CubeValue(const CubeState& state, const MatchEquityTable& table);

  [[nodiscard]] const CubeState& state() const { return state_; }

  // Native value of a position that is not over, before its owner's next decision is known. `costs` are those
  // of the position (see drop_costs); with them at 1 and 1 these are Sage's formulas.
  [[nodiscard]] double value(const Probabilities& p, double efficiency, DropCosts costs = {}) const;

  // Native value if the cube never moves again, gammons counted as the rules say.
  [[nodiscard]] double dead_value(const Probabilities& p) const;

  // Native value of winning (or losing) `points` times the cube, points 1, 2 or 3.
  [[nodiscard]] double won(int points) const;
  [[nodiscard]] double lost(int points) const;

  // Native value of the opponent's pass if the own side doubles, where a drop costs him `cost` cubes.
  [[nodiscard]] double double_pass(int cost = 1) const {
    return state_.is_money() ? cost : won_[static_cast<std::size_t>(cost - 1)];
  }

  // Points per unit of the cube: a match winning chance is mapped so that losing / winning the cube's present
  // value is -1 / +1 (0 where that makes no difference).
  [[nodiscard]] double equity(double native) const;

  // One side's view turned into the other's.
  [[nodiscard]] double other_side(double native) const { return state_.is_money() ? -native : 1.0 - native; }

 private:
  // What one level of redoubling is worth to one doubler, in his winning chances.
  struct Redouble {
    bool dead = false;  // one side gains nothing from a further turn
    std::array<double, 3> pass{};       // the taker passes at this level, by what a drop costs him
    std::array<double, 3> lost_next{};  // the doubler passes the next double, by what it costs him
    std::array<double, 3> won{};        // single, gammon, backgammon after the take
    std::array<double, 3> lost{};
  };
  static constexpr int kMaxLevels = 8;  // 1, 2, 4, ... 64 and one beyond

  [[nodiscard]] double money_value(const Probabilities& p, double efficiency) const;
  [[nodiscard]] double live_match_value(const Probabilities& p, DropCosts costs) const;
  void prepare_redoubles(const MatchEquityTable& table);

  CubeState state_;
  bool dead_ = false;
  std::array<double, 3> won_{};
  std::array<double, 3> lost_{};
  int levels_ = 0;
  std::array<std::array<Redouble, 2>, kMaxLevels> redoubles_{};  // [level][0 own, 1 opposing doubler]
};

// The decision of a side that may double. Native values, seen by the doubler.
struct CubeOutcome {
  double optimal = 0.0;
  double take = 0.0;  // double/take with a beaver counted where the taker should beaver
  bool doubles = false;
  bool takes = true;
  bool beavers = false;
};

// no_double and double_take are native values (double_take per unit of the *doubled* money cube);
// `value` belongs to the state before the double, which is also asked whether doubling is allowed;
// pass_cost is what a drop costs the opponent. (Open Sage lets a post-Crawford trailer double whatever the
// values say; here he plays on where he is too good.)
[[nodiscard]] CubeOutcome decide_cube(const CubeValue& value, double no_double, double double_take,
                                      int pass_cost = 1);

// The same inside a tree: value of a node whose mover may double.
[[nodiscard]] double collapsed(const CubeValue& value, double no_double, double double_take,
                               int pass_cost = 1);

}  // namespace botd
