// Worth of a position with a cube in gnubg's way, from its cubeless outcome probabilities.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cube/cube_state.hpp"
#include "cube/match_equity.hpp"
#include "rules/probabilities.hpp"

namespace botd::gnubg {

// What gammons and backgammons are worth to each side beyond a plain win, in units of half the distance
// between winning and losing the cube (twice the usual gammon value). Backgammons come on top of gammons.
struct GammonPrices {
  double own_gammon = 0.0;
  double own_backgammon = 0.0;
  double opponent_gammon = 0.0;
  double opponent_backgammon = 0.0;
};

// The conversion formulas of one cube state, with everything that depends on the score looked up once.
//
// "Native" values are points per unit of the cube in money play and match winning chances in a match, seen by
// the own side of the state. Formulas: Janowski's interpolation between a dead and a fully live cube, with
// the dead value at the score's gammon prices (gnubg-evaluator specification, sections 10 and 11).
class CubeValue {
 public:
  CubeValue(const CubeState& state, const MatchEquityTable& table);

  [[nodiscard]] const CubeState& state() const { return state_; }
  [[nodiscard]] bool is_money() const { return state_.is_money(); }
  [[nodiscard]] const GammonPrices& prices() const { return prices_; }

  // Cubeless equity in units of winning the cube, at this state's gammon prices.
  [[nodiscard]] double utility(const Probabilities& p) const;

  // What gnubg shows as cubeless equity: utility() in a match, in money play with gammons whatever the rules.
  [[nodiscard]] double shown_cubeless_equity(const Probabilities& p) const;

  // Native value of a position, before its owner's next decision is known. `efficiency` (Janowski's x) is the
  // weight of the live cube, `costs` are those of the position (see drop_costs).
  [[nodiscard]] double value(const Probabilities& p, double efficiency, DropCosts costs = {}) const;

  // Native value of the opponent's pass if the own side doubles, where a drop costs him `cost` cubes.
  [[nodiscard]] double double_pass(int cost = 1) const {
    return is_money() ? 1.0 : won_[static_cast<std::size_t>(cost - 1)];
  }

  // Points per unit of the cube: a match winning chance is mapped so that losing / winning the cube's present
  // value is -1 / +1 (0 where that makes no difference).
  [[nodiscard]] double equity(double native) const;
  // The inverse of equity().
  [[nodiscard]] double native(double equity) const;

  // One side's view turned into the other's.
  [[nodiscard]] double other_side(double native) const { return is_money() ? -native : 1.0 - native; }

 private:
  // What one level of redoubling is worth to one doubler, in his winning chances.
  struct Redouble {
    bool dead = false;               // one side gains nothing from a further turn
    std::array<double, 3> pass{};    // the taker passes at this level, by what a drop costs him
    std::array<double, 3> passed{};  // the doubler passes the redouble, by what it costs him
    std::array<double, 3> won{};     // single, gammon, backgammon after the take
    std::array<double, 3> lost{};
  };
  static constexpr int kMaxLevels = 8;  // 1, 2, 4, ... 64 and one beyond

  void prepare_prices();
  void prepare_redoubles(const MatchEquityTable& table, bool post_crawford);
  [[nodiscard]] double live_money_value(const Probabilities& p) const;
  [[nodiscard]] double live_match_value(const Probabilities& p, DropCosts costs) const;

  CubeState state_;
  bool dead_ = false;
  GammonPrices prices_;
  std::array<double, 3> won_{};
  std::array<double, 3> lost_{};
  int levels_ = 0;
  std::array<std::array<Redouble, 2>, kMaxLevels> redoubles_{};  // [level][0 own, 1 opposing doubler]
};

// Value of a node whose mover may double: of no double and of double and take, both native to `value`'s state
// but for a money double, which is per unit of the doubled cube. `pass_cost` is what a drop costs the
// opponent. Beavers are not part of a search.
[[nodiscard]] double collapsed(const CubeValue& value, double no_double, double double_take,
                               int pass_cost = 1);

}  // namespace botd::gnubg
