#include "search/resignation.hpp"

#include <algorithm>
#include <cstddef>

namespace botd {
namespace {

constexpr float kCertain = 0.999F;
constexpr int kHome = 6;
constexpr int kBestRollPips = 24;
constexpr int kBestRollMoves = 4;

int ceil_div(int a, int b) { return (a + b - 1) / b; }

// Rolls that the best dice would need.
int fewest_rolls(int pips, int moves) {
  return std::max(ceil_div(pips, kBestRollPips), ceil_div(moves, kBestRollMoves));
}

// Rolls that the opponent can need at most in a race, however he rolls and plays. A roll that begins with a
// checker above the ace point uses up at least three pips, except that it may use two if it leaves nothing
// but aces, and fewer if it ends the game; a roll that begins with aces alone bears off two of them.
int most_rolls_of_opponent(const Board& board) {
  const int pips = opponent_pips(board);
  const int checkers = kCheckers - opponent_borne_off(board);
  int most = ceil_div(pips, 3);
  for (int aces = 1; aces <= std::min(checkers, pips); ++aces) {
    most = std::max(most, (pips - aces + 1) / 3 + ceil_div(aces, 2));
  }
  return most;
}

// `source` may be missing.
LossBounds bounds_by(const Board& board, const StaticSource* source, Scoring scoring) {
  LossBounds bounds;
  if (!is_race(board)) return bounds;

  int outside = 0;  // own checkers that must still come home, and their way
  int outside_pips = 0;
  int deep = 0;  // own checkers in the opponent's home board, and their way out of it
  int deep_pips = 0;
  Board eased = board;
  for (int i = kHome + 1; i <= kPoints; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int here = std::max(board[at], 0);
    if (here == 0) continue;
    outside += here;
    outside_pips += here * (i - kHome);
    if (i > kPoints - kHome) {
      deep += here;
      deep_pips += here * (i - (kPoints - kHome));
    }
    eased.at(at) = 0;
    eased.at(kHome) = static_cast<std::int8_t>(eased[kHome] + here);
  }
  const int off = own_borne_off(board);

  // The side on roll gets as many rolls as the opponent before he is done.
  const int rolls = most_rolls_of_opponent(board);
  bounds.lost = fewest_rolls(own_pips(board), kCheckers - off) > rolls;
  bounds.gammon_certain = off == 0 && fewest_rolls(outside_pips + 1, outside + 1) > rolls;
  bounds.gammon_possible = off == 0;
  const bool backgammons = deep > 0 && (off == 0 || scoring == Scoring::kBgammon);
  bounds.backgammon_certain = backgammons && fewest_rolls(deep_pips, deep) > rolls;
  bounds.backgammon_possible = backgammons;

  if (source != nullptr && eased[kHome] >= 0 && source->exact(eased)) {
    const Probabilities p = source->exact_pre_roll(eased);
    bounds.lost = bounds.lost || 1.0F - p.win >= kCertain;
    bounds.gammon_certain = bounds.gammon_certain || (off == 0 && p.lose_gammon >= kCertain);
    if (outside == 0 && p.lose_gammon <= 1.0F - kCertain) bounds.gammon_possible = false;
  }
  return bounds;
}

}  // namespace

LossBounds loss_bounds(const Board& board, const StaticSource& source, Scoring scoring) {
  return bounds_by(board, &source, scoring);
}

LossBounds loss_bounds(const Board& board, Scoring scoring) { return bounds_by(board, nullptr, scoring); }

}  // namespace botd
