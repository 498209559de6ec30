#include <doctest/doctest.h>

#include <random>
#include <string>

#include "plain_board.hpp"
#include "random_boards.hpp"
#include "rules/board.hpp"
#include "rules/board_bits.hpp"

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

TEST_CASE("what is read off a board in words and registers equals the definition place by place") {
  std::mt19937 random(3);
  const auto check = [](const Board& board) {
    REQUIRE(mirrored(board) == botd::testing::plain_mirrored(board));
    REQUIRE(own_borne_off(board) == kCheckers - botd::testing::plain_checkers(board, 1));
    REQUIRE(opponent_borne_off(board) == kCheckers - botd::testing::plain_checkers(board, -1));
    REQUIRE(is_race(board) == botd::testing::plain_is_race(board));
    REQUIRE(game_result(board) == botd::testing::plain_game_result(board));
    for (int n = -4; n <= 4; ++n) {
      REQUIRE(places_above(board, n) == botd::testing::plain_places_above(board, n));
      REQUIRE((places_below(board, n) | botd::testing::plain_places_above(board, n - 1)) == 0x03FFFFFFU);
      REQUIRE((places_below(board, n) & botd::testing::plain_places_above(board, n - 1)) == 0);
    }
  };
  check(Board{});
  for (int n = 0; n < 20000; ++n) {
    Board board = botd::testing::random_board(random);
    check(board);
    // One side alone: finished games, with and without the others on the bar or far behind.
    for (std::size_t i = 0; i < board.points.size(); ++i)
      if (i == kOwnBar || board[i] * (i == kOpponentBar ? -1 : 1) > 0) board.at(i) = 0;
    check(board);
    check(mirrored(board));
    board = botd::testing::random_late_board(random);
    check(board);
    check(mirrored(board));
  }
}

TEST_CASE("the places at which two boards differ are told") {
  std::mt19937 random(4);
  for (int n = 0; n < 2000; ++n) {
    const Board a = botd::testing::random_board(random);
    Board b = a;
    std::uint32_t expected = 0;
    for (std::size_t i = 0; i < b.points.size(); ++i) {
      if (random() % 4 != 0) continue;
      b.at(i) = static_cast<std::int8_t>(b[i] + 1);
      expected |= 1U << i;
    }
    REQUIRE(different_places(a, b) == expected);
  }
}

TEST_CASE("an impossible board is told from a possible one") {
  Board board = starting_board();
  board.at(10) = 1;
  CHECK(std::string(board_error(board)) == "the player on roll has more than fifteen checkers");
  CHECK(std::string(board_error(mirrored(board))) == "the opponent has more than fifteen checkers");
  board.at(10) = 0;
  board.at(kOpponentBar) = 1;
  CHECK(std::string(board_error(board)) == "the opponent has more than fifteen checkers");
  board.at(kOpponentBar) = -1;
  CHECK(std::string(board_error(board)) == "a bar holds a negative number of checkers");
  CHECK(std::string(board_error(Board{})) == "neither side has a checker on the board");
}
