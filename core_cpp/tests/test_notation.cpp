#include <doctest/doctest.h>

#include <vector>

#include "rules/notation.hpp"

using namespace botd;

TEST_CASE("plays are written as gnubg writes them") {
  const Board start = starting_board();
  const auto written = [](const Board& board, const std::vector<Step>& steps) { return notation(board, steps); };
  CHECK(written(start, {}).empty());
  CHECK(written(start, {{24, 18}, {18, 13}}) == "24/13");
  CHECK(written(start, {{8, 5}, {6, 3}, {8, 5}, {6, 3}}) == "8/5(2) 6/3(2)");
  CHECK(written(start, {{6, 5}, {8, 5}}) == "8/5 6/5");
  Board blots;
  blots.at(kOwnBar) = 1;
  blots.at(8) = 2;
  blots.at(6) = 1;
  blots.at(22) = -1;
  blots.at(5) = -1;
  CHECK(written(blots, {{kOwnBar, 22}, {22, 16}}) == "bar/22*/16");
  CHECK(written(blots, {{8, 5}, {6, 5}}) == "8/5* 6/5");
  CHECK(written(blots, {{8, 5}, {8, 5}, {5, 2}}) == "8/5*/2 8/5");
  CHECK(written(blots, {{6, 0}}) == "6/off");
}

TEST_CASE("a bear-off has every checker at home or off") {
  Board board;
  board.at(6) = 3;
  board.at(19) = -3;
  CHECK(is_bearoff(board));
  for (const std::size_t away : {std::size_t{7}, std::size_t{24}, std::size_t{kOwnBar}}) {
    Board one = board;
    one.at(away) = 1;
    CHECK_FALSE(is_bearoff(one));
    CHECK_FALSE(is_bearoff(mirrored(one)));
  }
}
