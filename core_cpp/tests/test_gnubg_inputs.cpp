#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "gnubg/active_inputs.hpp"
#include "gnubg/contact_inputs.hpp"
#include "gnubg/features.hpp"
#include "gnubg/hitting.hpp"
#include "gnubg/position_class.hpp"
#include "gnubg/race_inputs.hpp"
#include "gnubg/side.hpp"
#include "plain_gnubg_hitting.hpp"
#include "random_boards.hpp"

using namespace botd;
using namespace botd::gnubg;

namespace {

constexpr int kRandomBoards = 20000;

bool increasing_and_not_zero(const ActiveInputs& inputs) {
  int last = -1;
  for (const ActiveInput& input : inputs) {
    if (input.input <= last || input.value == 0.0F) return false;
    last = input.input;
  }
  return true;
}

}  // namespace

TEST_CASE("a board as two sides") {
  Board board;
  board.at(1) = 3;
  board.at(24) = -2;
  board.at(6) = -1;
  board.at(kOwnBar) = 1;
  board.at(kOpponentBar) = 2;
  const Position position = position_of(board);
  CHECK(position.roller[0] == 3);
  CHECK(position.roller.bar() == 1);
  CHECK(position.roller.checkers == 4);
  CHECK(position.roller.back() == kBar);
  CHECK(position.roller.made == bit(0));
  CHECK(position.roller.blots == bit(kBar));
  CHECK(position.other[0] == 2);
  CHECK(position.other[18] == 1);
  CHECK(position.other.occupied == (bit(0) | bit(18) | bit(kBar)));
  CHECK(seen_by_other(position.other.occupied) == (bit(23) | bit(5)));
  CHECK(Side{}.back() == -1);
}

TEST_CASE("both views of a board are each other's mirror") {
  std::mt19937 random(1);
  for (int n = 0; n < kRandomBoards; ++n) {
    const Board board = botd::testing::random_board(random);
    const Position a = position_of(board);
    const Position b = position_of(mirrored(board));
    REQUIRE(a.roller.count == b.other.count);
    REQUIRE(a.other.count == b.roller.count);
    REQUIRE(class_without_databases(a) == class_without_databases(b));
  }
}

TEST_CASE("bit-parallel hitting features equal their definition") {
  std::mt19937 random(2);
  for (int n = 0; n < kRandomBoards; ++n) {
    const Position position = position_of(botd::testing::random_board(random));
    for (const Profile profile : {Profile::kA, Profile::kB}) {
      const HittingRolls fast = hitting_rolls(position.roller, position.other, profile);
      const HittingRolls plain = botd::testing::plain_hitting_rolls(position.roller, position.other, profile);
      REQUIRE(fast.pips == plain.pips);
      REQUIRE(fast.one == plain.one);
      REQUIRE(fast.two == plain.two);
    }
  }
}

TEST_CASE("inputs are listed in order and within bounds") {
  std::mt19937 random(3);
  ActiveInputs inputs;
  for (int n = 0; n < kRandomBoards; ++n) {
    const Position position = position_of(botd::testing::random_board(random));
    const PositionClass position_class = class_without_databases(position);
    inputs.clear();
    if (position_class == PositionClass::kRace)
      add_race_inputs(position, inputs);
    else if (position_class != PositionClass::kOver)
      add_contact_inputs(position, position_class, Profile::kB, inputs);
    REQUIRE(increasing_and_not_zero(inputs));
    for (const ActiveInput& input : inputs) {
      REQUIRE(input.input < (position_class == PositionClass::kRace ? kRaceInputs : kContactInputs));
      REQUIRE(std::abs(input.value) <= 12.0F);
    }
  }
}
