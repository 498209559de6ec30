#include "gnubg/cube_value.hpp"

#include <algorithm>
#include <cmath>

#include "cube/money_window.hpp"

namespace botd::gnubg {
namespace {

constexpr double kTiny = 1e-7;           // a side that practically never wins has no average win
constexpr double kNoDifference = 1e-10;  // denominators below this are nothing

struct Fractions {
  double gammon = 0.0;
  double backgammon = 0.0;
};

// Gammons (without backgammons) and backgammons among the games of a kind.
Fractions fractions(double games, double gammons, double backgammons) {
  if (games <= 0.0) return {};
  return {(gammons - backgammons) / games, backgammons / games};
}

// Points per game of a kind.
double average(double games, double gammons, double backgammons) {
  return games <= 0.0 ? 1.0 : 1.0 + (gammons + backgammons) / games;
}

double mixed(const Fractions& f, const std::array<double, 3>& outcome) {
  return (1.0 - f.gammon - f.backgammon) * outcome[0] + f.gammon * outcome[1] + f.backgammon * outcome[2];
}

double line(double x, double x0, double y0, double x1, double y1) {
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

// From (0, lose) to (until, value); without room for it, `lose`.
double first_piece(double x, double lose, double until, double value) {
  return until <= kNoDifference ? lose : line(x, 0.0, lose, until, value);
}

// From (from, value) to (1, win); without room for it, `win`.
double last_piece(double x, double from, double value, double win) {
  return from >= 1.0 - kNoDifference ? win : line(x, from, value, 1.0, win);
}

}  // namespace

CubeValue::CubeValue(const CubeState& state, const MatchEquityTable& table) : state_(state) {
  if (state.is_money()) {
    if (!state.jacoby_active()) prices_ = {1.0, 1.0, 1.0, 1.0};
    dead_ = state.capped();
    return;
  }
  const bool post = state.crawford || state.own_away == 1 || state.opponent_away == 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const int points = static_cast<int>(i + 1) * state.value;
    won_[i] = table.chances(state.own_away - points, state.opponent_away, post, state.seat);
    lost_[i] = table.chances(state.own_away, state.opponent_away - points, post, state.seat);
  }
  prepare_prices();
  dead_ = state.capped() || state.crawford ||
          (state.own_away <= state.value && state.opponent_away <= state.value) ||
          (state.own_away == 2 && state.opponent_away == 2);
  if (!dead_) prepare_redoubles(table, post);
}

void CubeValue::prepare_prices() {
  const double center = (won_[0] + lost_[0]) / 2.0;
  const double unit = won_[0] - center;
  if (std::abs(unit) <= kTiny) return;
  const double own_gammon = (won_[1] - center) / unit - 1.0;
  const double opponent_gammon = (center - lost_[1]) / unit - 1.0;
  prices_.own_gammon = std::max(own_gammon, 0.0);
  prices_.own_backgammon = std::max((won_[2] - center) / unit - (own_gammon + 1.0), 0.0);
  prices_.opponent_gammon = std::max(opponent_gammon, 0.0);
  prices_.opponent_backgammon = std::max((center - lost_[2]) / unit - (opponent_gammon + 1.0), 0.0);
}

void CubeValue::prepare_redoubles(const MatchEquityTable& table, bool post_crawford) {
  int level = state_.value;
  for (bool more = true; more; level *= 2) {
    const bool last = state_.max_value > 0 && 2 * level >= state_.max_value;  // nobody may turn it again
    more = !last && state_.own_away - 1 >= 2 * level && state_.opponent_away - 1 >= 2 * level;
    for (std::size_t side = 0; side < 2; ++side) {
      const int doubler = side == 0 ? state_.own_away : state_.opponent_away;
      const int taker = side == 0 ? state_.opponent_away : state_.own_away;
      const int seat = side == 0 ? state_.seat : 1 - state_.seat;
      Redouble& redouble = redoubles_[static_cast<std::size_t>(levels_)][side];
      redouble.dead = !more;
      // A taker who still needs the cube redoubles at once when the doubler cannot gain from it any more.
      const bool automatic = !last && doubler - 1 < 2 * level && taker - 1 >= 2 * level;
      const int stake = 2 * (automatic ? 2 * level : level);
      const auto won = [&](int points) {
        return table.chances(doubler - points, taker, post_crawford, seat);
      };
      const auto lost = [&](int points) {
        return table.chances(doubler, taker - points, post_crawford, seat);
      };
      for (std::size_t i = 0; i < 3; ++i) {
        const int times = static_cast<int>(i + 1);
        redouble.pass[i] = won(times * level);
        redouble.passed[i] = lost(times * 2 * level);
        redouble.won[i] = won(times * stake);
        redouble.lost[i] = lost(times * stake);
      }
    }
    ++levels_;
  }
}

double CubeValue::utility(const Probabilities& p) const {
  return 2.0 * p.win - 1.0 + p.win_gammon * prices_.own_gammon - p.lose_gammon * prices_.opponent_gammon +
         p.win_backgammon * prices_.own_backgammon - p.lose_backgammon * prices_.opponent_backgammon;
}

double CubeValue::shown_cubeless_equity(const Probabilities& p) const {
  return is_money() ? cubeless_equity(p) : utility(p);
}

double CubeValue::equity(double native) const {
  if (is_money()) return native;
  const double span = won_[0] - lost_[0];
  return span < kNoDifference ? 0.0 : (2.0 * native - (won_[0] + lost_[0])) / span;
}

double CubeValue::native(double equity) const {
  return is_money() ? equity : (equity * (won_[0] - lost_[0]) + won_[0] + lost_[0]) / 2.0;
}

double CubeValue::value(const Probabilities& p, double efficiency, DropCosts costs) const {
  const double dead = native(utility(p));
  if (dead_ || efficiency == 0.0) return dead;
  if (!is_money()) return (1.0 - efficiency) * dead + efficiency * live_match_value(p, costs);
  if (p.win <= kTiny || p.win >= 1.0 - kTiny) return dead;
  return (1.0 - efficiency) * dead + efficiency * live_money_value(p);
}

double CubeValue::live_money_value(const Probabilities& p) const {
  const double win = p.win;
  const double average_win = average(win, p.win_gammon, p.win_backgammon);
  const double average_loss = average(1.0 - win, p.lose_gammon, p.lose_backgammon);
  const auto [take_point, cash_point] = money_window(average_win, average_loss, state_);
  const bool jacoby = state_.jacoby_active();
  switch (state_.owner) {
    case CubeOwner::kOwn:
      return win < cash_point ? line(win, 0.0, -average_loss, cash_point, 1.0)
                              : line(win, cash_point, 1.0, 1.0, average_win);
    case CubeOwner::kOpponent:
      return win < take_point ? line(win, 0.0, -average_loss, take_point, -1.0)
                              : line(win, take_point, -1.0, 1.0, average_win);
    case CubeOwner::kCentered:
      break;
  }
  if (win < take_point) return jacoby ? -1.0 : line(win, 0.0, -average_loss, take_point, -1.0);
  if (win < cash_point) return line(win, take_point, -1.0, cash_point, 1.0);
  return jacoby ? 1.0 : line(win, cash_point, 1.0, 1.0, average_win);
}

double CubeValue::live_match_value(const Probabilities& p, DropCosts costs) const {
  const double win = p.win;
  const Fractions wins = fractions(win, p.win_gammon, p.win_backgammon);
  const Fractions losses = fractions(1.0 - win, p.lose_gammon, p.lose_backgammon);

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
      const double won = mixed(side == 0 ? wins : losses, redouble.won);
      double& cash = here[side];
      cash = 1.0;  // where nothing that follows makes a difference
      if (redouble.dead) {
        const double lost = mixed(side == 0 ? losses : wins, redouble.lost);
        const double range = lost - won;
        if (std::abs(range) >= kNoDifference) cash = (lost - pass) / range;
      } else {
        // Where a drop costs more than the game, the redouble is taken and its loss bounds the line.
        double passed = redouble.passed[cost[side]];
        if (cost[side] > 0) passed = std::max(passed, 1.0 - taken[1 - side]);
        const double range = passed - won;
        if (std::abs(range) >= kNoDifference) cash = 1.0 - cash_points[1 - side] * (pass - won) / range;
      }
      taken_here[side] = won;
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
      return win <= high ? first_piece(win, lose_all, high, cash) : last_piece(win, high, cash, win_all);
    case CubeOwner::kOpponent:
      return win <= low ? first_piece(win, lose_all, low, drop) : last_piece(win, low, drop, win_all);
    case CubeOwner::kCentered:
      break;
  }
  if (win <= low) return first_piece(win, lose_all, low, drop);
  if (win < high) return line(win, low, drop, high, cash);
  return last_piece(win, high, cash, win_all);
}

double collapsed(const CubeValue& value, double no_double, double double_take, int pass_cost) {
  const double take = value.is_money() ? 2.0 * double_take : double_take;
  const double pass = value.double_pass(pass_cost);
  return take >= no_double && pass >= no_double ? std::min(take, pass) : no_double;
}

}  // namespace botd::gnubg
