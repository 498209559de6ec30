#include "cube/cube_value.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cube/money_window.hpp"

namespace botd {
namespace {

constexpr double kContactEfficiency = 0.68;
constexpr double kTiny = 1e-7;           // a side that practically never wins has no average win
constexpr double kNoDifference = 1e-10;  // denominators and piece widths below this are nothing

// Chances of one side after a game won or lost by `points` from this score.
struct Scores {
  const MatchEquityTable& table;
  int away;
  int opponent_away;
  bool post_crawford;
  int seat;

  [[nodiscard]] double won(int points) const {
    return table.chances(away - points, opponent_away, post_crawford, seat);
  }
  [[nodiscard]] double lost(int points) const {
    return table.chances(away, opponent_away - points, post_crawford, seat);
  }
};

struct Fractions {
  double gammon = 0.0;
  double backgammon = 0.0;
};

double mixed(const Fractions& f, const std::array<double, 3>& outcome) {
  return (1.0 - f.gammon - f.backgammon) * outcome[0] + f.gammon * outcome[1] + f.backgammon * outcome[2];
}

// Value at x of the line from (x0, y0) to (x1, y1); `narrow` if there is no room between them.
double line(double x, double x0, double y0, double x1, double y1, double narrow) {
  const double width = x1 - x0;
  return width <= kNoDifference ? narrow : y0 + (y1 - y0) * (x - x0) / width;
}

}  // namespace

double cube_efficiency(const Board& board) {
  if (!is_race(board)) return kContactEfficiency;
  return std::clamp(0.55 + 0.00125 * (own_pips(board) + opponent_pips(board)) / 2.0, 0.6, 0.7);
}

CubeValue::CubeValue(const CubeState& state, const MatchEquityTable& table) : state_(state) {
  if (state.is_money()) return;
  const bool post = state.crawford || state.own_away == 1 || state.opponent_away == 1;
  const Scores scores{table, state.own_away, state.opponent_away, post, state.seat};
  for (std::size_t i = 0; i < 3; ++i) {
    const int points = static_cast<int>(i + 1) * state.value;
    won_[i] = scores.won(points);
    lost_[i] = scores.lost(points);
  }
  const bool own_can_use = state.owner != CubeOwner::kOpponent && state.own_away > state.value;
  const bool opponent_can_use = state.owner != CubeOwner::kOwn && state.opponent_away > state.value;
  dead_ = state.capped() || state.crawford || (!own_can_use && !opponent_can_use);
  if (!dead_) prepare_redoubles(table);
}

void CubeValue::prepare_redoubles(const MatchEquityTable& table) {
  const bool post = state_.crawford || state_.own_away == 1 || state_.opponent_away == 1;
  int level = state_.value;
  for (bool more = true; more; level *= 2) {
    const bool last = state_.max_value > 0 && 2 * level >= state_.max_value;  // nobody may turn it again
    more = !last && state_.own_away - 1 >= 2 * level && state_.opponent_away - 1 >= 2 * level;
    for (std::size_t side = 0; side < 2; ++side) {
      const int doubler = side == 0 ? state_.own_away : state_.opponent_away;
      const int taker = side == 0 ? state_.opponent_away : state_.own_away;
      const Scores scores{table, doubler, taker, post, side == 0 ? state_.seat : 1 - state_.seat};
      Redouble& redouble = redoubles_[static_cast<std::size_t>(levels_)][side];
      redouble.dead = !more;
      // A taker who still needs the cube redoubles at once when the doubler cannot gain from it any more.
      const bool automatic = !last && doubler - 1 < 2 * level && taker - 1 >= 2 * level;
      const int stake = 2 * (automatic ? 2 * level : level);
      for (std::size_t i = 0; i < 3; ++i) {
        const int times = static_cast<int>(i + 1);
        redouble.pass[i] = scores.won(times * level);
        redouble.lost_next[i] = scores.lost(times * stake);
        redouble.won[i] = scores.won(times * stake);
        redouble.lost[i] = scores.lost(times * stake);
      }
    }
    ++levels_;
  }
}

double CubeValue::won(int points) const {
  if (!state_.is_money()) return won_[static_cast<std::size_t>(points - 1)];
  return state_.jacoby_active() && !state_.capped() ? 1.0 : points;
}

double CubeValue::lost(int points) const {
  if (!state_.is_money()) return lost_[static_cast<std::size_t>(points - 1)];
  return state_.jacoby_active() && !state_.capped() ? -1.0 : -points;
}

double CubeValue::equity(double native) const {
  if (state_.is_money()) return native;
  const double span = won_[0] - lost_[0];
  return span < kNoDifference ? 0.0 : (2.0 * native - (won_[0] + lost_[0])) / span;
}

double CubeValue::dead_value(const Probabilities& p) const {
  const double win = p.win;
  const double win_gammon = p.win_gammon;
  const double win_backgammon = p.win_backgammon;
  const double lose_gammon = p.lose_gammon;
  const double lose_backgammon = p.lose_backgammon;
  if (state_.is_money()) {
    if (state_.jacoby_active() && !state_.capped()) return 2.0 * win - 1.0;
    return 2.0 * win - 1.0 + win_gammon - lose_gammon + win_backgammon - lose_backgammon;
  }
  return (win - win_gammon) * won_[0] + (win_gammon - win_backgammon) * won_[1] + win_backgammon * won_[2] +
         (1.0 - win - lose_gammon) * lost_[0] + (lose_gammon - lose_backgammon) * lost_[1] +
         lose_backgammon * lost_[2];
}

double CubeValue::value(const Probabilities& p, double efficiency, DropCosts costs) const {
  if (state_.capped() || dead_) return dead_value(p);
  if (state_.is_money()) return money_value(p, efficiency);
  return (1.0 - efficiency) * dead_value(p) + efficiency * live_match_value(p, costs);
}

double CubeValue::money_value(const Probabilities& p, double efficiency) const {
  const double win = p.win;
  const double lose = 1.0 - win;
  const double average_win =
      win <= kTiny ? 1.0 : 1.0 + (static_cast<double>(p.win_gammon) + p.win_backgammon) / win;
  const double average_loss =
      lose <= kTiny ? 1.0 : 1.0 + (static_cast<double>(p.lose_gammon) + p.lose_backgammon) / lose;
  const auto [take_point, cash_point] = money_window(average_win, average_loss, state_);
  // The opponent's pass and the own pass bound the live cube, except where the cube lies on the other side.
  const bool own_turns = state_.owner != CubeOwner::kOpponent;
  const bool opponent_turns = state_.owner != CubeOwner::kOwn;
  const bool jacoby = state_.jacoby_active();
  const double low = opponent_turns ? take_point : 0.0;
  const double low_value = opponent_turns ? -1.0 : -average_loss;
  const double high = own_turns ? cash_point : 1.0;
  const double high_value = own_turns ? 1.0 : average_win;
  double live = 0.0;
  if (opponent_turns && win <= low) {
    live = jacoby ? -1.0 : line(win, 0.0, -average_loss, low, low_value, -average_loss);
  } else if (own_turns && win >= high) {
    live = jacoby ? 1.0 : line(win, high, high_value, 1.0, average_win, average_win);
  } else {
    live = line(win, low, low_value, high, high_value, low_value);
  }
  return (1.0 - efficiency) * dead_value(p) + efficiency * live;
}

double CubeValue::live_match_value(const Probabilities& p, DropCosts costs) const {
  const double win = p.win;
  const double lose = 1.0 - win;
  Fractions wins;
  Fractions losses;
  if (win > kTiny) {
    wins = {(static_cast<double>(p.win_gammon) - p.win_backgammon) / win, p.win_backgammon / win};
  }
  if (win < 1.0 - kTiny) {
    losses = {(static_cast<double>(p.lose_gammon) - p.lose_backgammon) / lose, p.lose_backgammon / lose};
  }

  // Live cash points, from the last level at which both could still gain down to the present one.
  const std::array<std::size_t, 2> cost = {static_cast<std::size_t>(costs.own - 1),
                                           static_cast<std::size_t>(costs.opponent - 1)};
  std::array<double, 2> cash_points{};
  std::array<double, 2> taken{};  // after a double that is always taken, by doubler: all his games won
  for (int level = levels_ - 1; level >= 0; --level) {
    std::array<double, 2> here{};
    std::array<double, 2> taken_here{};
    for (std::size_t side = 0; side < 2; ++side) {
      const Redouble& redouble = redoubles_[static_cast<std::size_t>(level)][side];
      const double pass = redouble.pass[cost[1 - side]];
      const double win_mix = mixed(side == 0 ? wins : losses, redouble.won);
      double cash = 0.5;
      if (redouble.dead) {
        const double loss_mix = mixed(side == 0 ? losses : wins, redouble.lost);
        const double range = loss_mix - win_mix;
        if (std::abs(range) >= kNoDifference) cash = (loss_mix - pass) / range;
      } else {
        // Where a drop costs more than the game, the next double is taken and its loss bounds the line.
        double lost_next = redouble.lost_next[cost[side]];
        if (cost[side] > 0) lost_next = std::max(lost_next, 1.0 - taken[1 - side]);
        const double range = lost_next - win_mix;
        if (std::abs(range) >= kNoDifference) cash = 1.0 - cash_points[1 - side] * (pass - win_mix) / range;
      }
      here[side] = std::clamp(cash, 0.0, 1.0);
      taken_here[side] = win_mix;
    }
    cash_points = here;
    taken = taken_here;
  }

  const double low = 1.0 - cash_points[1];
  const double high = cash_points[0];
  const double win_all = mixed(wins, won_);
  const double lose_all = mixed(losses, lost_);
  double cash = won_[cost[1]];
  double drop = lost_[cost[0]];
  if (cost[1] > 0) cash = std::min(cash, taken[0]);
  if (cost[0] > 0) drop = std::max(drop, 1.0 - taken[1]);
  switch (state_.owner) {
    case CubeOwner::kOwn:
      if (win <= high) return line(win, 0.0, lose_all, high, cash, lose_all);
      return line(win, high, cash, 1.0, win_all, win_all);
    case CubeOwner::kOpponent:
      if (win <= low) return line(win, 0.0, lose_all, low, drop, lose_all);
      return line(win, low, drop, 1.0, win_all, win_all);
    case CubeOwner::kCentered:
      break;
  }
  if (win <= low) return line(win, 0.0, lose_all, low, drop, lose_all);
  if (win < high) return line(win, low, drop, high, cash, drop);
  return line(win, high, cash, 1.0, win_all, win_all);
}

CubeOutcome decide_cube(const CubeValue& value, double no_double, double double_take, int pass_cost) {
  const CubeState& state = value.state();
  CubeOutcome outcome;
  outcome.take = double_take;
  if (state.is_money()) {
    outcome.take = 2.0 * double_take;
    if (state.beavers && outcome.take < 0.0) {
      outcome.take *= 2.0;
      outcome.beavers = true;
    }
  }
  outcome.optimal = no_double;
  if (!may_double(state)) return outcome;
  const double pass = value.double_pass(pass_cost);
  outcome.takes = outcome.take <= pass;
  const double if_doubled = std::min(outcome.take, pass);
  outcome.doubles = if_doubled > no_double;
  if (outcome.doubles) outcome.optimal = if_doubled;
  return outcome;
}

double collapsed(const CubeValue& value, double no_double, double double_take, int pass_cost) {
  const CubeState& state = value.state();
  double take = double_take;
  if (state.is_money()) {
    take *= 2.0;
    if (state.beavers && take < 0.0) take *= 2.0;
  }
  const double pass = value.double_pass(pass_cost);
  return take >= no_double && pass >= no_double ? std::min(take, pass) : no_double;
}

}  // namespace botd
