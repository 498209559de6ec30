#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "common/escapes.hpp"
#include "plain_hitting.hpp"
#include "random_boards.hpp"
#include "sage/contact_features.hpp"
#include "sage/encoding.hpp"
#include "sage/feature_lanes.hpp"
#include "sage/hitting.hpp"
#include "sage/regions.hpp"
#include "sage/routing.hpp"

using namespace botd;
using namespace botd::sage;

namespace {

constexpr int kRandomBoards = 20000;

// All features as numbers, in the order of the inputs' definition.
std::vector<double> numbers(const ContactFeatures& f) {
  const auto n = [](int value) { return static_cast<double>(value); };
  return {n(f.bar), n(f.off), n(f.blocked_home_points), n(f.outfield_anchor), n(f.hitting_rolls),
          n(f.double_hitting_rolls), n(f.escaping_rolls), n(f.rear_checker), n(f.rear_point), n(f.pips_past_enemy),
          n(f.pips_behind_enemy), n(f.pips_hit), n(f.containment), n(f.containment_everywhere), n(f.mobility),
          n(f.second_moment), n(f.entry_loss), n(f.timing), f.backbone, n(f.anchors), n(f.checkers_back),
          n(f.rear_enemy_escapes)};
}

void check_numbers(const SideView& side, const std::vector<double>& expected) {
  const std::vector<double> computed = numbers(contact_features(side));
  REQUIRE(computed.size() == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CAPTURE(k);
    CHECK(computed[k] == doctest::Approx(expected[k]).epsilon(1e-5));
  }
}

}  // namespace

TEST_CASE("escape tables") {
  CHECK(kEscapes[0] == 36);
  CHECK(kEscapes[63] == 0);
  CHECK(std::accumulate(kEscapes.begin(), kEscapes.end(), 0) == 52224);
  CHECK(std::accumulate(kEscapesPastBlock.begin(), kEscapesPastBlock.end(), 0) == 48255);
  CHECK(kEscapesPastBlock[0] == 0);
  CHECK(kEscapesPastBlock[1] == 35);
}

TEST_CASE("features of the starting position") {
  const PositionView view = view_of(starting_board());
  const std::vector<double> expected = {0, 0, 1, 12, 0, 0, 9, 24, 24, 10, 119, 0,
                                        0, 14, 2234, 42, 0, 76, 0.163636, 1, 2, 25};
  check_numbers(view.own, expected);
  check_numbers(view.opponent, expected);
}

TEST_CASE("features of a position with both sides on the bar") {
  const Board board{{1, -1, -4, 0, 0, 2, 0, 0, -1, 0, 1, 0, 0, 1, 2, 2, -1, 1, 0, 1, 0, 2, -2, 0, 2, 1}};
  const PositionView view = view_of(board);
  check_numbers(view.own, {1, 0, 1, 11, 36, 32, 12, 24, 24, 7, 169, 480, 0, 13, 5365, 33, 12, 151, 0.159091, 2, 6, 34});
  check_numbers(view.opponent, {1, 5, 1, 2, 34, 16, 11, 24, 23, 21, 32, 369, 0, 2, 3683, 31, 20, 91, 1, 1, 6, 32});
}

TEST_CASE("bit-parallel hitting features equal their definitions") {
  std::mt19937 random(1);
  for (int n = 0; n < kRandomBoards; ++n) {
    const Board board = botd::testing::random_board(random);
    const SideView side = view_of(board).own;
    REQUIRE(hitting_rolls(side) == botd::testing::plain_hitting_rolls(board));
    REQUIRE(double_hitting_rolls(side) == botd::testing::plain_double_hitting_rolls(board));
    REQUIRE(pips_hit(side) == botd::testing::plain_pips_hit(board));
  }
}

TEST_CASE("both views of a board are each other's mirror") {
  std::mt19937 random(2);
  for (int n = 0; n < kRandomBoards; ++n) {
    const Board board = botd::testing::random_board(random);
    const PositionView view = view_of(board);
    const PositionView other = view_of(mirrored(board));
    REQUIRE(numbers(contact_features(view.own)) == numbers(contact_features(other.opponent)));
    REQUIRE(view.race == is_race(board));
    REQUIRE(view.own.pips == own_pips(board));
    REQUIRE(view.opponent.pips == opponent_pips(board));
    REQUIRE(view.own.off == own_borne_off(board));
    REQUIRE(view.opponent.off == opponent_borne_off(board));
    REQUIRE(is_snake(view) == is_snake(other));
    REQUIRE(is_containment(view) == is_containment(other));
    REQUIRE(is_massive(view) == is_massive(other));
    REQUIRE(back_game_category(view) == back_game_category(other));
    REQUIRE(back_game_phase(view) == back_game_phase(other));
    REQUIRE(own_plan(view) == opponent_plan(other));
    const int network = route(view);
    REQUIRE(network >= 0);
    REQUIRE(network < 24);
  }
}

TEST_CASE("positions in lanes get the inputs that each gets alone, to the last bit") {
  std::mt19937 random(5);
  std::vector<Board> boards;
  for (int n = 0; n < kRandomBoards; ++n) {
    boards.push_back(botd::testing::random_board(random));
    boards.push_back(botd::testing::random_late_board(random));
    boards.push_back(mirrored(boards.back()));
  }
  const FeatureTables tables = feature_tables();
  const auto inputs_of = [&](ContactInputsFunction function, std::size_t first, std::size_t count) {
    std::vector<float> inputs(count * kBothSidesExtras);
    function(boards.data() + first, static_cast<int>(count), tables, inputs.data());
    return inputs;
  };
  const std::vector<float> expected = inputs_of(contact_inputs_plain, 0, boards.size());
  for (const CpuPath path : available_cpu_paths()) {
    CAPTURE(name(path));
    const ContactInputsFunction function = contact_inputs_function(path);
    CHECK(inputs_of(function, 0, boards.size()) == expected);
    for (const std::size_t count : {1, 2, 7, 8, 9, 15, 17}) {
      const std::vector<float> few = inputs_of(function, 100, count);
      CHECK(std::equal(few.begin(), few.end(), expected.begin() + 100 * kBothSidesExtras));
    }
  }
}

TEST_CASE("checkers of any stretch of points are counted") {
  std::mt19937 random(6);
  for (int n = 0; n < 200; ++n) {
    const SideView side = view_of(botd::testing::random_board(random)).opponent;
    for (int first = 1; first <= kOwnBar; ++first) {
      for (int last = 0; last <= kOwnBar; ++last) {
        int expected = 0;
        for (int i = first; i <= last; ++i) expected += side.count[static_cast<std::size_t>(i)];
        REQUIRE(checkers(side, first, last) == expected);
      }
    }
  }
}

TEST_CASE("race encoding of a bear-off") {
  Board board;
  board.at(1) = 5;
  board.at(6) = 3;
  board.at(24) = -2;
  std::array<float, kRaceInputs> x{};
  encode_race(board, x.data());
  CHECK(std::vector<float>(x.begin(), x.begin() + 4) == std::vector<float>{1, 1, 1, 1});
  CHECK(std::vector<float>(x.begin() + 20, x.begin() + 24) == std::vector<float>{1, 1, 1, 0});
  CHECK(x[97] == doctest::Approx(7.0 / 15));
  CHECK(std::vector<float>(x.begin() + 98 + 92, x.begin() + 98 + 96) == std::vector<float>{1, 1, 0, 0});
  CHECK(x[195] == doctest::Approx(13.0 / 15));
  CHECK(std::count(x.begin(), x.end(), 0.0F) == 196 - 11);
}
