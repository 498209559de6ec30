#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "rules/perft.hpp"
#include "rules/position_id.hpp"

using namespace botd;

TEST_CASE("the starting position has its well-known identifier") {
  CHECK(position_id(starting_board()) == "4HPwATDgc/ABMA");
  CHECK(board_from_position_id("4HPwATDgc/ABMA") == starting_board());
}

TEST_CASE("fifteen checkers on both bars fill the key to its last bit and come back") {
  Board board;
  board.at(kOwnBar) = 15;
  board.at(kOpponentBar) = 15;
  CHECK(board_from_position_id(position_id(board)) == board);
}

TEST_CASE("what is not a position is refused") {
  for (const char* text : {"", "4HPwATDgc/ABM", "4HPwATDgc/ABMAA", "4HPwATDgc/AB=A", "4HPwATDgc/ABMB",
                           "//////////////", "AAAAAAAAAAAAAA", "AAAAAAAAAAAAAQ"}) {
    CAPTURE(std::string(text));
    CHECK_THROWS_AS((void)board_from_position_id(text), std::invalid_argument);
  }
}

TEST_CASE("perft of the starting position") {
  CHECK(perft(starting_board(), 0).leaves == 1);
  const PerftCount one = perft(starting_board(), 1);
  CHECK(one.leaves == 447);
  CHECK(one.distinct == 406);
  CHECK(perft(starting_board(), 1, 406).distinct == 406);
  CHECK_THROWS_AS((void)perft(starting_board(), 1, 405), std::length_error);
}
