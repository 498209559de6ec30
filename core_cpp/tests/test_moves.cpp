#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <random>
#include <vector>

#include "plain_moves.hpp"
#include "random_boards.hpp"
#include "rules/moves.hpp"

using namespace botd;

namespace {

std::size_t count(const Board& board, int die1, int die2) {
  PlayList plays;
  legal_plays(board, die1, die2, plays);
  return plays.size();
}

// Replays the steps one by one, checking every rule that concerns a single step.
Board replay(Board board, const Play& play) {
  for (std::size_t i = 0; i < play.step_count; ++i) {
    const auto from = static_cast<std::size_t>(play.steps[i].from);
    const auto to = static_cast<std::size_t>(play.steps[i].to);
    REQUIRE(board[from] > 0);
    REQUIRE((board[kOwnBar] == 0 || from == kOwnBar));
    --board.at(from);
    if (to == 0) continue;
    REQUIRE(board[to] >= -1);
    if (board[to] == -1) {
      board.at(to) = 0;
      ++board.at(kOpponentBar);
    }
    ++board.at(to);
  }
  return board;
}

}  // namespace

TEST_CASE("the opening position has the known number of plays for each of the 21 rolls") {
  constexpr std::array<std::size_t, 21> expected{42, 75, 73, 52, 4,  11, 15, 16, 14, 8, 10,
                                                 17, 18, 8,  14, 17, 9,  14, 9,  14, 7};
  PlayList plays;
  BoardList boards;
  for (std::size_t i = 0; i < kRolls.size(); ++i) {
    CAPTURE(i);
    legal_plays(starting_board(), kRolls[i].die1, kRolls[i].die2, plays);
    legal_boards(starting_board(), kRolls[i].die1, kRolls[i].die2, boards);
    CHECK(plays.size() == expected[i]);
    REQUIRE(boards.size() == expected[i]);
    for (std::size_t k = 0; k < plays.size(); ++k) {
      CHECK(plays[k].board == boards[k]);
      CHECK(replay(starting_board(), plays[k]) == plays[k].board);
    }
    legal_boards(starting_board(), kRolls[i].die2, kRolls[i].die1, boards);
    CHECK(boards.size() == expected[i]);
  }
}

TEST_CASE("plays come in first-seen order: low points first, dice in the order given") {
  PlayList plays;
  legal_plays(starting_board(), 1, 2, plays);
  CHECK(plays[0].steps[0] == Step{6, 5});
  CHECK(plays[0].steps[1] == Step{5, 3});
  legal_plays(starting_board(), 2, 1, plays);
  CHECK(plays[0].steps[0] == Step{6, 4});
  CHECK(plays[0].steps[1] == Step{4, 3});
}

TEST_CASE("checkers on the bar enter first, and a closed board means no play") {
  Board board;
  board.at(kOwnBar) = 2;
  board.at(10) = 1;
  for (std::size_t i = 19; i <= 24; ++i) board.at(i) = -2;
  CHECK(count(board, 3, 4) == 0);
  board.at(21) = 0;
  board.at(18) = -2;
  PlayList plays;
  legal_plays(board, 3, 4, plays);  // only the four enters (to 21); the second checker stays out
  REQUIRE(plays.size() == 1);
  CHECK(plays[0].step_count == 1);
  CHECK(plays[0].board[kOwnBar] == 1);
  CHECK(plays[0].board[21] == 1);
}

TEST_CASE("if only one die can be played it must be the larger that can") {
  Board board;  // a lone checker on 20, either die alone possible, both together blocked
  board.at(20) = 1;
  board.at(11) = -2;
  PlayList plays;
  legal_plays(board, 4, 5, plays);
  REQUIRE(plays.size() == 1);
  CHECK(plays[0].steps[0] == Step{20, 15});
  board.at(15) = -2;
  legal_plays(board, 4, 5, plays);
  REQUIRE(plays.size() == 1);
  CHECK(plays[0].steps[0] == Step{20, 16});
}

TEST_CASE("bearing off needs everyone home, and a larger die takes only the highest checker") {
  Board board;
  board.at(7) = 1;
  board.at(4) = 1;
  board.at(1) = -2;
  PlayList plays;
  legal_plays(board, 1, 6, plays);
  // 7/off is not possible with 6-1 except 7/6 6/off; 4/3 then leaves nothing for the six but 7/1, blocked.
  REQUIRE(plays.size() == 1);
  CHECK(plays[0].board[7] == 0);
  CHECK(plays[0].board[4] == 1);
  CHECK(own_borne_off(plays[0].board) == 14);

  Board home;
  home.at(5) = 1;
  home.at(2) = 1;
  CHECK(count(home, 6, 6) == 1);
  legal_plays(home, 6, 6, plays);
  CHECK(plays[0].step_count == 2);
  CHECK(own_borne_off(plays[0].board) == 15);
}

TEST_CASE("hits send the opposing checker to the bar") {
  Board board;
  board.at(8) = 1;
  board.at(5) = -1;
  board.at(4) = -1;
  PlayList plays;
  legal_plays(board, 3, 1, plays);
  // 8/5*/4* hits twice, 8/7/4* once.
  REQUIRE(plays.size() == 2);
  CHECK(plays[0].board[kOpponentBar] == 2);
  CHECK(plays[1].board[kOpponentBar] == 1);
}

TEST_CASE("the generator finds what playing every sequence finds, in the same order and with the same steps") {
  std::mt19937 random(7);
  PlayList plays;
  BoardList boards;
  const auto check = [&](const Board& board) {
    for (int die1 = 1; die1 <= 6; ++die1) {
      for (int die2 = 1; die2 <= 6; ++die2) {
        const std::vector<Play> expected = botd::testing::plain_legal_plays(board, die1, die2);
        legal_plays(board, die1, die2, plays);
        legal_boards(board, die1, die2, boards);
        REQUIRE(plays.size() == expected.size());
        REQUIRE(boards.size() == expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k) {
          REQUIRE(plays[k].board == expected[k].board);
          REQUIRE(plays[k].step_count == expected[k].step_count);
          REQUIRE(plays[k].steps == expected[k].steps);
          REQUIRE(boards[k] == expected[k].board);
        }
      }
    }
  };
  for (int n = 0; n < 300; ++n) check(botd::testing::random_board(random));
  for (int n = 0; n < 1000; ++n) check(botd::testing::random_late_board(random));
}

TEST_CASE("a list used again for a smaller roll holds nothing of the one before") {
  BoardList boards;
  legal_boards(starting_board(), 2, 2, boards);
  CHECK(boards.size() == 75);
  legal_boards(starting_board(), 6, 5, boards);
  CHECK(boards.size() == 7);
  CHECK(std::distance(boards.begin(), boards.end()) == 7);
  Board nobody_can_move;
  nobody_can_move.at(kOwnBar) = 1;
  for (std::size_t i = 19; i <= 24; ++i) nobody_can_move.at(i) = -2;
  legal_boards(nobody_can_move, 1, 1, boards);
  CHECK(boards.empty());
}
