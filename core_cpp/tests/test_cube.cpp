#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "cube/cube_state.hpp"
#include "cube/cube_value.hpp"
#include "cube/match_equity.hpp"

using namespace botd;

namespace {

// The corner of Kazaross-XG2 that the examples need (scores up to nine points).
MatchEquityTable kazaross_corner() {
  const std::vector<std::vector<double>> upper = {
      {0.5, 0.67736, 0.75076, 0.81436, 0.84179, 0.88731, 0.90724, 0.9325, 0.94402},
      {0.5, 0.59947, 0.6687, 0.74359, 0.7994, 0.84225, 0.87539, 0.90197},
      {0.5, 0.5715, 0.64795, 0.71123, 0.76209, 0.80468, 0.84017},
      {0.5, 0.57732, 0.64285, 0.69924, 0.74577, 0.78799},
      {0.5, 0.56635, 0.62638, 0.67786, 0.7254},
      {0.5, 0.56261, 0.61636, 0.66787},
      {0.5, 0.5548, 0.60854},
      {0.5, 0.55442},
      {0.5}};
  std::vector<double> table(81);
  for (std::size_t a = 0; a < 9; ++a) {
    for (std::size_t b = a; b < 9; ++b) {
      table[a * 9 + b] = upper[a][b - a];
      table[b * 9 + a] = 1.0 - upper[a][b - a];
    }
  }
  const std::vector<double> post = {0.5,     0.48803, 0.32264, 0.31002, 0.19012,
                                    0.18072, 0.11559, 0.10906, 0.06953};
  return {table, post};
}

constexpr Probabilities kExample{0.55F, 0.15F, 0.01F, 0.12F, 0.005F};
constexpr double kEfficiency = 0.68;

CubeState money(CubeOwner owner, bool jacoby = false) {
  CubeState state;
  state.owner = owner;
  state.jacoby = jacoby;
  return state;
}

CubeState match(int value, CubeOwner owner, int away, int opponent_away) {
  CubeState state;
  state.value = value;
  state.owner = owner;
  state.own_away = away;
  state.opponent_away = opponent_away;
  return state;
}

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(1e-6); }

}  // namespace

TEST_CASE("money conversion: live value and mixture by owner and Jacoby") {
  const MatchEquityTable table = kazaross_corner();
  struct Example {
    CubeState state;
    double live;
    double mixed;
  };
  for (const Example& e :
       {Example{money(CubeOwner::kCentered), 0.213333, 0.188267},
        Example{money(CubeOwner::kCentered, true), 0.213333, 0.177067},
        Example{money(CubeOwner::kOwn), 0.41, 0.322}, Example{money(CubeOwner::kOpponent), -0.09, -0.018}}) {
    const CubeValue value(e.state, table);
    CHECK(value.value(kExample, 1.0) == near(e.live));
    CHECK(value.value(kExample, kEfficiency) == near(e.mixed));
  }
  CHECK(CubeValue(money(CubeOwner::kCentered), table).dead_value(kExample) == near(0.135));
  CHECK(CubeValue(money(CubeOwner::kCentered, true), table).dead_value(kExample) == near(0.1));
  // Jacoby stops counting once the cube was turned.
  CHECK(CubeValue(money(CubeOwner::kOwn, true), table).dead_value(kExample) == near(0.135));
}

TEST_CASE("money conversion joins its ends") {
  const MatchEquityTable table = kazaross_corner();
  for (const CubeOwner owner : {CubeOwner::kCentered, CubeOwner::kOwn, CubeOwner::kOpponent}) {
    const CubeValue value(money(owner), table);
    CHECK(value.value({1.0F, 0.25F, 0.0F, 0.0F, 0.0F}, 1.0) == near(1.25));
    CHECK(value.value({0.0F, 0.0F, 0.0F, 0.25F, 0.0F}, 1.0) == near(-1.25));
  }
  const CubeValue jacoby(money(CubeOwner::kCentered, true), table);
  CHECK(jacoby.value({1.0F, 0.25F, 0.0F, 0.0F, 0.0F}, kEfficiency) == near(1.0));
  CHECK(jacoby.value({0.0F, 0.0F, 0.0F, 0.25F, 0.0F}, kEfficiency) == near(-1.0));
}

TEST_CASE("match conversion: cubeless, live, mixture and normalised equity") {
  const MatchEquityTable table = kazaross_corner();
  struct Example {
    CubeState state;
    double cubeless;
    double live;
    double mixed;
    double equity;
  };
  for (const Example& e :
       {Example{match(1, CubeOwner::kCentered, 5, 5), 0.510329, 0.516597, 0.514591, 0.188714},
        Example{match(1, CubeOwner::kCentered, 9, 9), 0.507362, 0.511625, 0.510261, 0.188552},
        Example{match(1, CubeOwner::kCentered, 2, 4), 0.732682, 0.687208, 0.701760, -0.047978},
        Example{match(1, CubeOwner::kCentered, 3, 1), 0.275212, 0.350000, 0.326068, 0.336261},
        Example{match(2, CubeOwner::kOwn, 7, 4), 0.309283, 0.390664, 0.364622, 0.561713},
        Example{match(2, CubeOwner::kOpponent, 3, 2), 0.420944, 0.420944, 0.420944, 0.242896}}) {
    const CubeValue value(e.state, table);
    CHECK(value.dead_value(kExample) == near(e.cubeless));
    CHECK(value.value(kExample, 1.0) == near(e.live));
    CHECK(value.value(kExample, kEfficiency) == near(e.mixed));
    CHECK(value.equity(value.value(kExample, kEfficiency)) == near(e.equity));
    CHECK(value.equity(value.double_pass()) == near(1.0));
  }
}

TEST_CASE("who may double") {
  CHECK(may_double(money(CubeOwner::kCentered)));
  CHECK(may_double(money(CubeOwner::kOwn)));
  CHECK_FALSE(may_double(money(CubeOwner::kOpponent)));
  CHECK(may_double(match(1, CubeOwner::kCentered, 2, 1)));        // post-Crawford trailer
  CHECK_FALSE(may_double(match(1, CubeOwner::kCentered, 1, 2)));  // leader
  CHECK_FALSE(may_double(match(2, CubeOwner::kOwn, 2, 2)));       // dead
  CHECK(may_double(match(2, CubeOwner::kOwn, 3, 2)));
  CubeState crawford = match(1, CubeOwner::kCentered, 5, 1);
  crawford.crawford = true;
  CHECK_FALSE(may_double(crawford));
  CHECK_FALSE(may_double(capped_money_cube()));
}

TEST_CASE("the other side sees the same cube turned round") {
  const CubeState state = match(2, CubeOwner::kOwn, 7, 4);
  CubeState turned = match(2, CubeOwner::kOpponent, 4, 7);
  turned.seat = 1;
  CHECK(other_side(state) == turned);
  CHECK(other_side(other_side(state)) == state);
  CHECK(doubled(match(1, CubeOwner::kCentered, 7, 4)) == match(2, CubeOwner::kOpponent, 7, 4));
}

TEST_CASE("cube decisions") {
  const MatchEquityTable table = kazaross_corner();
  CubeState state = money(CubeOwner::kCentered);
  SUBCASE("double, take") {
    const CubeOutcome outcome = decide_cube(CubeValue(state, table), 0.5, 0.3);
    CHECK(outcome.doubles);
    CHECK(outcome.takes);
    CHECK(outcome.optimal == near(0.6));
  }
  SUBCASE("double, pass") {
    const CubeOutcome outcome = decide_cube(CubeValue(state, table), 0.9, 0.6);
    CHECK(outcome.doubles);
    CHECK_FALSE(outcome.takes);
    CHECK(outcome.optimal == near(1.0));
  }
  SUBCASE("too good") {
    const CubeOutcome outcome = decide_cube(CubeValue(state, table), 1.2, 0.9);
    CHECK_FALSE(outcome.doubles);
    CHECK_FALSE(outcome.takes);
    CHECK(outcome.optimal == near(1.2));
  }
  SUBCASE("a beaver doubles the loss") {
    state.beavers = true;
    const CubeOutcome outcome = decide_cube(CubeValue(state, table), 0.1, -0.1);
    CHECK(outcome.beavers);
    CHECK(outcome.take == near(-0.4));
    CHECK_FALSE(outcome.doubles);
    state.beavers = false;
    CHECK(decide_cube(CubeValue(state, table), 0.1, -0.1).take == near(-0.2));
  }
  SUBCASE("a post-Crawford trailer doubles unless he is too good") {
    const CubeState trailer = match(1, CubeOwner::kCentered, 4, 1);
    CHECK(decide_cube(CubeValue(trailer, table), 0.1, 0.2).doubles);
    const CubeOutcome too_good = decide_cube(CubeValue(trailer, table), 0.4, 0.5);
    CHECK_FALSE(too_good.doubles);
    CHECK(too_good.optimal == near(0.4));
  }
  SUBCASE("a cube of the other side is not turned, and a take is reported") {
    const CubeOutcome outcome = decide_cube(CubeValue(money(CubeOwner::kOpponent), table), 0.9, 0.9);
    CHECK_FALSE(outcome.doubles);
    CHECK(outcome.takes);
    CHECK(outcome.optimal == near(0.9));
  }
}

TEST_CASE("match equity table: explicit part, Crawford and the extension") {
  const MatchEquityTable table = kazaross_corner();
  CHECK(table.chances(0, 3, false) == 1.0);
  CHECK(table.chances(3, -1, true) == 0.0);
  CHECK(table.chances(1, 3, false) == 0.75076);
  CHECK(table.chances(1, 3, true) == near(1.0 - 0.32264));
  CHECK(table.chances(3, 1, true) == 0.32264);
  CHECK(table.chances(1, 1, true) == 0.5);
  CHECK(table.chances(10, 1, true) == near(0.125 * 0.18072 + 0.375 * 0.10906));
  for (int a = 1; a <= MatchEquityTable::kMaxAway; ++a) {
    for (int b = 1; b <= MatchEquityTable::kMaxAway; ++b) {
      CHECK(table.chances(a, b, false) + table.chances(b, a, false) == near(1.0));
    }
    CHECK(table.chances(a, a, false) == near(0.5));
  }
  CHECK(table.chances(20, 30, false) > table.chances(21, 30, false));
  CHECK(table.chances(99, 2, false) == table.chances(64, 2, false));
}

TEST_CASE("match equity table: what contradicts itself is refused") {
  const std::vector<double> post = {0.5, 0.4};
  CHECK_NOTHROW(MatchEquityTable(std::vector<double>{0.5, 0.7, 0.3, 0.5}, post));
  const auto refused = [&post](std::vector<double> table) {
    CHECK_THROWS_AS(MatchEquityTable(table, post), std::invalid_argument);
  };
  refused({0.5, 0.7, 0.3});
  refused({0.5, 0.7, 0.6, 0.5});
  refused({0.5, 1.7, -0.7, 0.5});
  refused({0.5, std::nan(""), 0.3, 0.5});
  refused({0.5, 0.3, 0.7, 0.5});
  CHECK_THROWS_AS(MatchEquityTable(std::vector<double>{0.5, 0.7, 0.3, 0.5}, std::vector<double>{0.4, 0.5}),
                  std::invalid_argument);
}
