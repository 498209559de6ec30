// Possible positions at random, many of them with blots, primes and checkers on the bar.
#pragma once

#include <random>

#include "rules/board.hpp"

namespace botd::testing {

inline Board random_board(std::mt19937& random) {
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  Board board;
  for (const int sign : {1, -1}) {
    int left = kCheckers - (upto(2) == 0 ? upto(12) : 0);
    if (upto(3) == 0) {
      const int bar = std::min(left, 1 + upto(2));
      board.at(sign > 0 ? kOwnBar : kOpponentBar) = static_cast<std::int8_t>(bar);
      left -= bar;
    }
    for (int tries = 0; left > 0 && tries < 1000; ++tries) {
      const auto i = static_cast<std::size_t>(1 + upto(23));
      if (board[i] * sign < 0) continue;
      const int stack = std::min(left, 1 + upto(upto(2)));
      board.at(i) = static_cast<std::int8_t>(board[i] + sign * stack);
      left -= stack;
    }
  }
  return board;
}

// Positions in which the own side has few checkers left, all or nearly all of them home, so that most rolls bear
// off; the opponent may still be among them.
inline Board random_late_board(std::mt19937& random) {
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  Board board;
  if (upto(2) == 0) board.at(static_cast<std::size_t>(7 + upto(upto(1) == 0 ? 4 : 18))) = 1;
  const int home = 1 + upto(upto(1) == 0 ? 3 : 13);
  for (int n = 0; n < home; ++n) ++board.at(static_cast<std::size_t>(1 + upto(5)));
  for (int left = upto(4), tries = 0; left > 0 && tries < 100; ++tries) {
    const auto i = static_cast<std::size_t>(1 + upto(upto(1) == 0 ? 8 : 23));
    if (board[i] > 0) continue;
    --board.at(i);
    --left;
  }
  board.at(24) = static_cast<std::int8_t>(board[24] <= 0 ? board[24] - 1 : board[24]);  // never nobody
  return board;
}

}  // namespace botd::testing
