#include "sage/side_view.hpp"

#include <bit>

namespace botd::sage {

PositionView view_of(const Board& board) {
  PositionView view;
  SideView& own = view.own;
  SideView& opponent = view.opponent;
  std::uint32_t opponent_occupied = 0;  // in own numbering
  std::uint32_t opponent_made = 0;
  int own_on_board = board[kOwnBar];
  int opponent_on_board = board[kOpponentBar];
  own.count[kOwnBar] = static_cast<std::uint8_t>(board[kOwnBar]);
  opponent.count[kOwnBar] = static_cast<std::uint8_t>(board[kOpponentBar]);
  own.their_bar = board[kOpponentBar];
  opponent.their_bar = board[kOwnBar];
  own.pips = 25 * board[kOwnBar];
  opponent.pips = 25 * board[kOpponentBar];
  for (int i = 1; i <= kPoints; ++i) {
    const int n = board[static_cast<std::size_t>(i)];
    if (n == 0) continue;
    const std::uint32_t bit = 1U << i;
    if (n > 0) {
      own.count[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(n);
      own.occupied |= bit;
      if (n > 1) own.made |= bit;
      own_on_board += n;
      own.pips += i * n;
    } else {
      opponent.count[static_cast<std::size_t>(25 - i)] = static_cast<std::uint8_t>(-n);
      opponent_occupied |= bit;
      if (n < -1) opponent_made |= bit;
      opponent_on_board -= n;
      opponent.pips -= (25 - i) * n;
    }
  }
  own.off = kCheckers - own_on_board;
  opponent.off = kCheckers - opponent_on_board;
  own.their_made = opponent_made;
  own.their_blots = opponent_occupied & ~opponent_made;
  opponent.occupied = reversed_points(opponent_occupied);
  opponent.made = reversed_points(opponent_made);
  opponent.their_made = reversed_points(own.made);
  opponent.their_blots = reversed_points(own.blots());
  view.race = own.bar() == 0 && opponent.bar() == 0 && highest(own.occupied) <= lowest(opponent_occupied, 25);
  return view;
}

int highest(std::uint32_t word) { return word == 0 ? 0 : 31 - std::countl_zero(word); }

int lowest(std::uint32_t word, int none) { return word == 0 ? none : std::countr_zero(word); }

int checkers(const SideView& side, int first, int last) {
  int sum = 0;
  for (int i = first; i <= last; ++i) sum += side.count[static_cast<std::size_t>(i)];
  return sum;
}

int longest_run(std::uint32_t word) {
  int length = 0;
  for (; word != 0; ++length) word &= word << 1;
  return length;
}

}  // namespace botd::sage
