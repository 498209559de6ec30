// The definitions of what is read off a board, place by place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rules/board.hpp"

namespace botd::testing {

inline Board plain_mirrored(const Board& board) {
  Board out;
  out.at(kOpponentBar) = board.points[kOwnBar];
  out.at(kOwnBar) = board.points[kOpponentBar];
  for (std::size_t i = 1; i <= kPoints; ++i) out.at(i) = static_cast<std::int8_t>(-board.points[25 - i]);
  return out;
}

// Of the own side (sign 1) or the opponent (-1), bar included.
inline int plain_checkers(const Board& board, int sign, std::size_t first = 1, std::size_t last = kPoints) {
  int count = board[sign > 0 ? kOwnBar : kOpponentBar];
  for (std::size_t i = first; i <= last; ++i) count += board[i] * sign > 0 ? board[i] * sign : 0;
  return count;
}

inline bool plain_is_race(const Board& board) {
  if (board[kOwnBar] != 0 || board[kOpponentBar] != 0) return false;
  for (std::size_t low = 1; low <= kPoints; ++low)
    for (std::size_t high = low + 1; high <= kPoints; ++high)
      if (board[low] < 0 && board[high] > 0) return false;
  return true;
}

inline int plain_game_result(const Board& board) {
  const int own = plain_checkers(board, 1);
  const int opponent = plain_checkers(board, -1);
  if ((own == 0) == (opponent == 0)) return 0;
  if (own > 0) return -plain_game_result(plain_mirrored(board));
  if (opponent < kCheckers) return 1;
  return plain_checkers(board, -1, 1, 6) > 0 ? 3 : 2;
}

inline std::uint32_t plain_places_above(const Board& board, int n) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < board.points.size(); ++i)
    if (board[i] > n) word |= 1U << i;
  return word;
}

}  // namespace botd::testing
