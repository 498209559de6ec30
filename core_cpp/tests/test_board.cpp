#include <doctest/doctest.h>

#include "rules/board.hpp"

using namespace botd;

TEST_CASE("the starting board is symmetric and worth 167 pips a side") {
  const Board board = starting_board();
  CHECK(mirrored(board) == board);
  CHECK(own_pips(board) == 167);
  CHECK(opponent_pips(board) == 167);
  CHECK(game_result(board) == 0);
  CHECK_FALSE(is_race(board));
  CHECK(board_error(board) == nullptr);
}

TEST_CASE("finished games are worth one, two or three points") {
  Board won;  // all own checkers off
  won.at(24) = -14;
  CHECK(game_result(won) == 1);
  CHECK(game_result(mirrored(won)) == -1);
  won.at(24) = -15;
  CHECK(game_result(won) == 2);
  won.at(24) = -14;
  won.at(3) = -1;
  CHECK(game_result(won) == 3);
  CHECK(game_result(mirrored(won)) == -3);
  won.at(3) = 0;
  won.at(kOpponentBar) = 1;
  CHECK(game_result(won) == 3);
}
