#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "cube/cube_value.hpp"
#include "random_boards.hpp"
#include "rules/scoring.hpp"

using namespace botd;

namespace {

// A table that any score of a nine point match can be looked up in.
MatchEquityTable smooth_table() {
  std::vector<double> table(81);
  for (std::size_t a = 0; a < 9; ++a) {
    for (std::size_t b = 0; b < 9; ++b) {
      table[a * 9 + b] = 0.5 + (static_cast<double>(b) - static_cast<double>(a)) / 17.0;
    }
  }
  const std::vector<double> post = {0.5, 0.49, 0.32, 0.31, 0.19, 0.18, 0.12, 0.11, 0.07};
  return {table, post};
}

CubeState match(int value, CubeOwner owner, int away, int opponent_away, Scoring scoring) {
  CubeState state;
  state.value = value;
  state.owner = owner;
  state.own_away = away;
  state.opponent_away = opponent_away;
  state.scoring = scoring;
  return state;
}

}  // namespace

TEST_CASE("what a position costs its loser on a bgammon server") {
  CHECK(position_cost(starting_board()) == 3);  // two checkers in the winner's home board
  Board board;
  board.at(6) = 15;
  board.at(24) = -15;
  CHECK(position_cost(board) == 2);
  board.at(6) = 14;
  CHECK(position_cost(board) == 1);
  board.at(6) = 13;
  board.at(kOwnBar) = 1;
  CHECK(position_cost(board) == 3);  // on the bar, although one is off already
  board.at(kOwnBar) = 0;
  board.at(19) = 1;
  CHECK(position_cost(board) == 3);
  board.at(19) = 0;
  board.at(18) = 1;
  CHECK(position_cost(board) == 1);
  CHECK(drop_costs(board, Scoring::kStandard) == DropCosts{1, 1});
  CHECK(drop_costs(starting_board(), Scoring::kBgammon) == DropCosts{3, 3});
}

TEST_CASE("the end of a game counts alike wherever nobody was hit while bearing off") {
  std::mt19937 random(5);
  int differences = 0;
  for (int i = 0; i < 20000; ++i) {
    Board board = botd::testing::random_board(random);
    for (std::size_t p = 0; p < board.points.size(); ++p) {
      if (p == kOpponentBar || board[p] < 0) board.at(p) = 0;
    }
    if (own_borne_off(board) == kCheckers) continue;
    const int plain = game_result(board, Scoring::kStandard);
    const int counted = game_result(board, Scoring::kBgammon);
    REQUIRE(plain == game_result(board));
    CHECK(counted == -position_cost(board));
    CHECK(game_result(mirrored(board), Scoring::kBgammon) == -counted);
    if (own_borne_off(board) == 0) {
      CHECK(counted == plain);
    } else if (counted != plain) {
      ++differences;
      CHECK(plain == -1);
      CHECK(counted == -3);
    }
  }
  CHECK(differences > 100);
  CHECK(game_result(starting_board(), Scoring::kBgammon) == 0);
}

TEST_CASE("drop costs of one give the standard conversion, bit by bit") {
  const MatchEquityTable table = smooth_table();
  std::mt19937 random(7);
  std::uniform_real_distribution<float> unit(0.0F, 1.0F);
  for (int i = 0; i < 3000; ++i) {
    Probabilities p;
    p.win = unit(random);
    p.win_gammon = p.win * unit(random);
    p.lose_gammon = (1.0F - p.win) * unit(random);
    const auto owner = static_cast<CubeOwner>(random() % 3);
    const int value = 1 << (random() % 3);
    const int away = 1 + static_cast<int>(random() % 9);
    const int opponent_away = 1 + static_cast<int>(random() % 9);
    const CubeValue plain(match(value, owner, away, opponent_away, Scoring::kStandard), table);
    const CubeValue counted(match(value, owner, away, opponent_away, Scoring::kBgammon), table);
    CHECK(plain.value(p, 0.68) == counted.value(p, 0.68, {1, 1}));
  }
}

TEST_CASE("dear drops: a dearer drop never helps the side that must drop, and a win stays a win") {
  const MatchEquityTable table = smooth_table();
  std::mt19937 random(11);
  std::uniform_real_distribution<float> unit(0.0F, 1.0F);
  for (int i = 0; i < 3000; ++i) {
    Probabilities p;
    p.win = unit(random);
    p.win_gammon = p.win * unit(random) * 0.5F;
    p.lose_gammon = (1.0F - p.win) * unit(random) * 0.5F;
    const auto owner = static_cast<CubeOwner>(random() % 3);
    const int value = 1 << (random() % 2);
    const int away = 1 + static_cast<int>(random() % 9);
    const int opponent_away = 1 + static_cast<int>(random() % 9);
    const CubeValue cube(match(value, owner, away, opponent_away, Scoring::kBgammon), table);
    for (const double x : {0.0, 0.68, 1.0}) {
      for (int own = 1; own <= 3; ++own) {
        for (int other = 1; other <= 3; ++other) {
          const double native = cube.value(p, x, {own, other});
          CHECK(native >= -1e-12);
          CHECK(native <= 1.0 + 1e-12);
          // Between losing and winning everything at twice the present stake.
          CHECK(native >= table.chances(away, opponent_away - 12 * value, away == 1 || opponent_away == 1) - 1e-12);
          CHECK(native <= table.chances(away - 12 * value, opponent_away, away == 1 || opponent_away == 1) + 1e-12);
        }
      }
    }
  }
  // Sure wins and losses are worth what they are, whatever a drop would have cost.
  const CubeValue own(match(1, CubeOwner::kOwn, 7, 7, Scoring::kBgammon), table);
  CHECK(own.value({0.0F, 0.0F, 0.0F, 0.0F, 0.0F}, 0.68, {3, 3}) == doctest::Approx(own.lost(1)));
  const CubeValue opponent(match(1, CubeOwner::kOpponent, 7, 7, Scoring::kBgammon), table);
  CHECK(opponent.value({1.0F, 0.0F, 0.0F, 0.0F, 0.0F}, 0.68, {3, 3}) == doctest::Approx(opponent.won(1)));
}

TEST_CASE("a drop that costs three cubes is not made where one cube would be dropped") {
  const MatchEquityTable table = smooth_table();
  const CubeState state = match(1, CubeOwner::kCentered, 9, 9, Scoring::kBgammon);
  const CubeValue value(state, table);
  const double no_double = value.won(1) - 0.01;
  const double take = value.won(1) + 0.02;
  CHECK_FALSE(decide_cube(value, no_double, take, 1).takes);
  CHECK(decide_cube(value, no_double, take, 1).optimal == doctest::Approx(value.won(1)));
  const CubeOutcome dear = decide_cube(value, no_double, take, 3);
  CHECK(dear.takes);
  CHECK(dear.doubles);
  CHECK(dear.optimal == doctest::Approx(take));
  CHECK(collapsed(value, no_double, take, 3) == doctest::Approx(take));
  CHECK(value.double_pass(2) == value.won(2));
}

TEST_CASE("a cube that the server caps is dead where it is capped, and its last turn is a dead double") {
  const MatchEquityTable table = smooth_table();
  const Probabilities p{0.7F, 0.2F, 0.01F, 0.05F, 0.0F};
  CubeState state;
  state.max_value = 64;
  state.value = 64;
  state.owner = CubeOwner::kOwn;
  CHECK(state.capped());
  CHECK_FALSE(may_double(state));
  CHECK(CubeValue(state, table).value(p, 0.68) == CubeValue(state, table).dead_value(p));

  // At half the cap a double is answered by a dead cube: take point (L - 1/2) / (W + L).
  state.value = 32;
  CHECK(may_double(state));
  const CubeValue last(state, table);
  const double average_win = 1.0 + (0.2 + 0.01) / 0.7;
  const double average_loss = 1.0 + 0.05 / 0.3;
  const double cash = (average_loss + 0.5) / (average_win + average_loss);
  Probabilities at_cash = p;
  at_cash.win = static_cast<float>(cash);
  at_cash.win_gammon = static_cast<float>(cash * 0.2 / 0.7);
  at_cash.win_backgammon = static_cast<float>(cash * 0.01 / 0.7);
  at_cash.lose_gammon = static_cast<float>((1.0 - cash) * 0.05 / 0.3);
  CHECK(last.value(at_cash, 1.0) == doctest::Approx(1.0).epsilon(1e-5));
  CubeState taken = doubled(state);
  CHECK(2.0 * CubeValue(taken, table).value(at_cash, 1.0) == doctest::Approx(1.0).epsilon(1e-5));

  // Every further turn brings it nearer to a cube without a limit.
  CubeState unlimited = state;
  unlimited.max_value = 0;
  const double free = CubeValue(unlimited, table).value(p, 1.0);
  double distance = 10.0;
  for (int cap = 64; cap <= 4096; cap *= 4) {
    state.max_value = cap;
    const double here = std::abs(CubeValue(state, table).value(p, 1.0) - free);
    CHECK(here <= distance + 1e-12);
    distance = here;
  }
  CHECK(distance < 1e-3);

  // In a match: with a cap at 2 the taker of a first double holds a dead cube.
  CubeState capped = match(1, CubeOwner::kCentered, 9, 9, Scoring::kStandard);
  capped.max_value = 2;
  const CubeValue taker(doubled(capped), table);
  CHECK(taker.value(p, 0.68) == taker.dead_value(p));
  CHECK(may_double(capped));
  CubeState nobody = capped;
  nobody.max_value = 1;
  CHECK_FALSE(may_double(nobody));
  CHECK(CubeValue(nobody, table).value(p, 0.68) == CubeValue(nobody, table).dead_value(p));
}

TEST_CASE("an asymmetric table knows who is who") {
  const std::vector<double> pre = {0.51, 0.702, 0.323, 0.515};
  const std::vector<double> post = {0.51, 0.499};
  const std::vector<double> post_1 = {0.49, 0.479};
  using Last = MatchEquityTable::LastPostCrawford;
  const MatchEquityTable table(pre, post, Last::kUse, post_1);
  CHECK_FALSE(table.symmetric());
  CHECK(table.chances(1, 2, false, 0) == 0.702);
  CHECK(table.chances(2, 1, false, 1) == doctest::Approx(0.298));
  CHECK(table.chances(1, 2, false, 1) == doctest::Approx(1.0 - 0.323));
  CHECK(table.chances(2, 1, true, 0) == 0.499);
  CHECK(table.chances(2, 1, true, 1) == 0.479);
  CHECK(table.chances(1, 2, true, 0) == doctest::Approx(1.0 - 0.479));
  CHECK(table.chances(1, 1, true, 0) == doctest::Approx(0.51));
  for (int a = -1; a <= 64; ++a) {
    for (int b = a > 0 ? -1 : 1; b <= 64; ++b) {
      for (const bool after : {false, true}) {
        CHECK(table.chances(a, b, after, 0) + table.chances(b, a, after, 1) == doctest::Approx(1.0));
      }
    }
  }
  CubeState state = match(1, CubeOwner::kCentered, 2, 2, Scoring::kStandard);
  const CubeValue favourite(state, table);
  const CubeValue other(other_side(state), table);
  CHECK(favourite.won(1) == doctest::Approx(1.0 - other.lost(1)));
  CHECK(favourite.won(1) == 0.702);
  CHECK(MatchEquityTable(std::vector<double>{0.5, 0.7, 0.3, 0.5}, std::vector<double>{0.5}).symmetric());
}
