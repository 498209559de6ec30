#include "sage/side_view.hpp"

#include "rules/board_bits.hpp"

namespace botd::sage {
namespace {

// Checkers, borne off and pips of the side whose positive numbers these are.
void fill_counts(const Board& board, SideView& side) {
  int on_board = 0;
  int pips = 0;
  for (std::size_t i = 1; i < board.points.size(); ++i) {
    const int n = board[i] > 0 ? board[i] : 0;
    side.count[i] = static_cast<std::uint8_t>(n);
    on_board += n;
    pips += static_cast<int>(i) * n;
  }
  side.off = kCheckers - on_board;
  side.pips = pips;
}

}  // namespace

PositionView view_of(const Board& board) {
  PositionView view;
  SideView& own = view.own;
  SideView& opponent = view.opponent;
  const Board turned = mirrored(board);
  own.their_bar = board[kOpponentBar];
  opponent.their_bar = board[kOwnBar];
  own.occupied = places_above(board, 0) & kPointBits;
  own.made = places_above(board, 1) & kPointBits;
  own.their_made = places_below(board, -1) & kPointBits;
  const std::uint32_t opponent_occupied = places_below(board, 0) & kPointBits;
  own.their_blots = opponent_occupied & ~own.their_made;
  opponent.occupied = places_above(turned, 0) & kPointBits;
  opponent.made = places_above(turned, 1) & kPointBits;
  opponent.their_made = places_below(turned, -1) & kPointBits;
  opponent.their_blots = places_below(turned, 0) & ~opponent.their_made & kPointBits;
  fill_counts(board, own);
  fill_counts(turned, opponent);
  view.race = own.bar() == 0 && opponent.bar() == 0 && highest(own.occupied) <= lowest(opponent_occupied, 25);
  return view;
}

int longest_run(std::uint32_t word) {
  int length = 0;
  for (; word != 0; ++length) word &= word << 1;
  return length;
}

}  // namespace botd::sage
