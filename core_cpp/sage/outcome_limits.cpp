// Corrections of network outputs by what is possible at all.
#include <algorithm>

#include "sage/evaluator.hpp"

namespace botd::sage {
namespace {

bool any_in(const Board& board, std::size_t first, std::size_t last, int sign) {
  for (std::size_t i = first; i <= last; ++i)
    if (board[i] * sign > 0) return true;
  return false;
}

}  // namespace

Probabilities clamped(const Probabilities& p, const Board& board) {
  Probabilities out = p;
  if (own_borne_off(board) > 0) out.lose_gammon = out.lose_backgammon = 0.0F;
  if (opponent_borne_off(board) > 0) out.win_gammon = out.win_backgammon = 0.0F;
  if (is_race(board)) {  // nobody is on the bar then
    if (!any_in(board, 19, 24, 1)) out.lose_backgammon = 0.0F;
    if (!any_in(board, 1, 6, -1)) out.win_backgammon = 0.0F;
  }
  return out;
}

Probabilities nested(const Probabilities& p) {
  Probabilities out = p;
  out.win_gammon = std::min(out.win_gammon, out.win);
  out.win_backgammon = std::min(out.win_backgammon, out.win_gammon);
  out.lose_gammon = std::min(out.lose_gammon, 1.0F - out.win);
  out.lose_backgammon = std::min(out.lose_backgammon, out.lose_gammon);
  return out;
}

}  // namespace botd::sage
