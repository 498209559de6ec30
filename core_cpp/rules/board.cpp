#include "rules/board.hpp"

#include <algorithm>

namespace botd {
namespace {

struct SideCount {
  int own = 0;       // on points and bar
  int opponent = 0;  // on points and bar
};

SideCount count_checkers(const Board& board) {
  SideCount count{board[kOwnBar], board[kOpponentBar]};
  for (int i = 1; i <= kPoints; ++i) {
    const int n = board[static_cast<std::size_t>(i)];
    (n > 0 ? count.own : count.opponent) += n > 0 ? n : -n;
  }
  return count;
}

}  // namespace

Board starting_board() {
  return {{0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0}};
}

Board mirrored(const Board& board) {
  Board out;
  out.at(kOpponentBar) = board.points[kOwnBar];
  out.at(kOwnBar) = board.points[kOpponentBar];
  for (std::size_t i = 1; i <= kPoints; ++i) out.at(i) = static_cast<std::int8_t>(-board.points[25 - i]);
  return out;
}

int own_borne_off(const Board& board) { return kCheckers - count_checkers(board).own; }

int opponent_borne_off(const Board& board) { return kCheckers - count_checkers(board).opponent; }

int own_pips(const Board& board) {
  int pips = 25 * board[kOwnBar];
  for (int i = 1; i <= kPoints; ++i) pips += i * std::max(0, board[static_cast<std::size_t>(i)]);
  return pips;
}

int opponent_pips(const Board& board) {
  int pips = 25 * board[kOpponentBar];
  for (int i = 1; i <= kPoints; ++i) pips += (25 - i) * std::max(0, -board[static_cast<std::size_t>(i)]);
  return pips;
}

bool is_race(const Board& board) {
  if (board[kOwnBar] != 0 || board[kOpponentBar] != 0) return false;
  int highest_own = 0;
  int lowest_opponent = 25;
  for (int i = 1; i <= kPoints; ++i) {
    const int n = board[static_cast<std::size_t>(i)];
    if (n > 0) highest_own = i;
    if (n < 0) lowest_opponent = std::min(lowest_opponent, i);
  }
  return highest_own <= lowest_opponent;
}

int game_result(const Board& board) {
  const SideCount count = count_checkers(board);
  if (count.own == 0 && count.opponent > 0) {
    if (count.opponent < kCheckers) return 1;
    if (board[kOpponentBar] > 0) return 3;
    for (std::size_t i = 1; i <= 6; ++i)
      if (board[i] < 0) return 3;
    return 2;
  }
  if (count.opponent == 0 && count.own > 0) {
    if (count.own < kCheckers) return -1;
    if (board[kOwnBar] > 0) return -3;
    for (std::size_t i = 19; i <= 24; ++i)
      if (board[i] > 0) return -3;
    return -2;
  }
  return 0;
}

const char* board_error(const Board& board) {
  if (board[kOwnBar] < 0 || board[kOpponentBar] < 0) return "a bar holds a negative number of checkers";
  const SideCount count = count_checkers(board);
  if (count.own > kCheckers) return "the player on roll has more than fifteen checkers";
  if (count.opponent > kCheckers) return "the opponent has more than fifteen checkers";
  if (count.own == 0 && count.opponent == 0) return "neither side has a checker on the board";
  return nullptr;
}

}  // namespace botd
