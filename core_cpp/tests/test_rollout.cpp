#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pip_source.hpp"
#include "rollout/candidates.hpp"
#include "rollout/rollout.hpp"

namespace botd::rollout {
namespace {

using botd::testing::PipSource;

Rollout::Evaluators pips() {
  const auto source = std::make_shared<PipSource>();
  return {source, source};
}

CubeState money() {
  CubeState state;
  state.jacoby = true;
  state.beavers = true;
  return state;
}

Settings searching() {
  Settings settings;
  settings.truncate = 3;
  settings.play_ply = 1;
  settings.cube_ply = 1;
  settings.truncation_ply = 1;
  settings.late_from = 2;
  settings.first_roll_luck = true;
  return settings;
}

Sums rolled(const Board& board, const CubeState& state, const Settings& settings, std::uint64_t first,
            std::uint64_t count, int threads = 1) {
  const Rollout rollout(pips(), botd::testing::small_table(), board, state, settings, threads, {});
  return rollout.run(first, count, threads, {});
}

}  // namespace

TEST_CASE("dice of rollouts: the first permutation by hand") {
  // MT19937 with seed 42 begins 1608637542, 3421126067, 4083286876, ... The first exchange is of entries 0 and
  // 0 + 1608637542 mod 36 = 6, the second of 1 and 1 + 3421126067 mod 35 = 3, the third of 2 and
  // 2 + 4083286876 mod 34 = 30, and later ones leave these three alone.
  const Dice dice(42);
  CHECK(dice.roll(0, 0) == TrialRoll{2, 1});
  CHECK(dice.roll(1, 0) == TrialRoll{1, 4});
  CHECK(dice.roll(2, 0) == TrialRoll{6, 1});
  CHECK(dice.roll(36, 0) == dice.roll(0, 0));
}

TEST_CASE("dice of rollouts: stratified over the first three rolls") {
  const Dice dice(7);
  std::set<std::uint32_t> seen;
  for (std::uint64_t trial = 0; trial < 36 * 36 * 36; ++trial) {
    std::uint32_t key = 0;
    for (int m = 0; m < 3; ++m) {
      const TrialRoll roll = dice.roll(trial, m);
      key = key * 36 + static_cast<std::uint32_t>(6 * (roll.die1 - 1) + roll.die2 - 1);
    }
    seen.insert(key);
  }
  CHECK(seen.size() == 36 * 36 * 36);
}

TEST_CASE("dice of rollouts: the index of a roll") {
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    CHECK(roll_index({kRolls[r].die1, kRolls[r].die2}) == r);
    CHECK(roll_index({kRolls[r].die2, kRolls[r].die1}) == r);
  }
}

TEST_CASE("exact sums depend on no order") {
  const std::array<double, 6> values = {1e4, -3.25, 1.0 / 3.0, -1e4, 2e-9, 5e7};
  ExactSum forwards;
  ExactSum backwards;
  for (std::size_t i = 0; i < values.size(); ++i) {
    forwards.add(values[i]);
    backwards.add(values[values.size() - 1 - i]);
  }
  CHECK(forwards == backwards);
  CHECK(forwards.value() == doctest::Approx(5e7 - 3.25 + 1.0 / 3.0 + 2e-9).epsilon(1e-15));
  CHECK(ExactSum(forwards.high(), forwards.low()) == forwards);
  ExactSum negative;
  negative.add(-0.5);
  CHECK(ExactSum(negative.high(), negative.low()) == negative);
  CHECK(negative.value() == -0.5);
}

TEST_CASE("standard errors") {
  Sample sample;
  for (const double value : {1.0, 2.0, 4.0, 5.0}) sample.add(value);
  CHECK(sample.mean(4) == 3.0);
  CHECK(sample.standard_error(4) == doctest::Approx(std::sqrt(2.5 / 4.0)));
}

TEST_CASE("rollouts: neither threads nor pieces matter") {
  for (const CubeState& state : {money(), botd::testing::short_match()}) {
    for (const Settings& settings : {Settings{}, searching()}) {
      const Sums whole = rolled(starting_board(), state, settings, 0, 40);
      CHECK(whole.count() == 40);
      CHECK(rolled(starting_board(), state, settings, 0, 40, 3) == whole);
      Sums pieces = rolled(starting_board(), state, settings, 17, 23);
      pieces.add(rolled(starting_board(), state, settings, 0, 17));
      CHECK(pieces == whole);
    }
  }
}

TEST_CASE("rollouts: each game is counted once, whatever the pieces") {
  const auto games = [](std::uint64_t first, std::uint64_t count) {
    return rolled(starting_board(), money(), Settings{}, first, count);
  };
  Sums sums;
  for (const auto& [first, count] : {std::pair{10, 5}, {0, 4}, {20, 3}, {4, 6}, {15, 5}, {8, 0}}) {
    sums.add(games(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count)));
  }
  CHECK(sums == games(0, 23));
  CHECK(sums.trials().ranges().size() == 1);
  const Sums before = sums;
  for (const auto& [first, count] : {std::pair{0, 1}, {22, 1}, {22, 5}, {5, 3}}) {
    CHECK_THROWS_AS(sums.add(games(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count))),
                    std::invalid_argument);
  }
  CHECK_THROWS_AS(sums.add(before), std::invalid_argument);
  CHECK(sums == before);
  Sums later = games(30, 10);
  CHECK_THROWS_AS(later.add(games(25, 10)), std::invalid_argument);
  CHECK_THROWS_AS(later.add(games(20, 40)), std::invalid_argument);
  later.add(games(40, 3));
  later.add(games(27, 3));
  CHECK(later == games(27, 16));
}

TEST_CASE("rollouts: sums of different origins are not mixed") {
  const auto table = botd::testing::small_table();
  const auto games = [&](const Rollout::Evaluators& evaluators, const Board& board, const CubeState& state,
                         const Settings& settings) {
    return Rollout(evaluators, table, board, state, settings, 1, {}).run(4, 4, 1, {});
  };
  const Sums sums = rolled(starting_board(), money(), Settings{}, 0, 4);
  Rollout::Evaluators elsewhere = pips();
  elsewhere.name = "avx2";
  Settings seeded;
  seeded.seed = 1;
  for (const Sums& other : {games(elsewhere, starting_board(), money(), Settings{}),
                            games(pips(), botd::testing::late_game(), money(), Settings{}),
                            games(pips(), starting_board(), botd::testing::short_match(), Settings{}),
                            games(pips(), starting_board(), money(), seeded)}) {
    Sums mixed = sums;
    CHECK_THROWS_AS(mixed.add(other), std::invalid_argument);
    CHECK(mixed == sums);
  }
}

TEST_CASE("rollouts: every batch has a seed of its own") {
  Settings batches;
  batches.seed = 0x70000000;
  batches.batch = 40;
  const Sums whole = rolled(starting_board(), money(), batches, 0, 100);
  Sums pieces = rolled(starting_board(), money(), batches, 30, 70);
  pieces.add(rolled(starting_board(), money(), batches, 0, 30, 2));
  CHECK(pieces == whole);
  std::vector<TrialValues::Pair> expected;
  for (const std::uint64_t count : {40, 40, 20}) {
    Settings one;
    one.seed = batches.seed + static_cast<std::uint32_t>(expected.size() / 40 * 0x9E3779B9ULL);
    const Sums sums = rolled(starting_board(), money(), one, 0, count);
    const std::vector<TrialValues::Pair>& values = sums.trials().ranges().at(0);
    expected.insert(expected.end(), values.begin(), values.end());
  }
  CHECK(whole.trials().ranges().at(0) == expected);
}

TEST_CASE("the error of a difference comes from the games that both have") {
  const auto origin = std::make_shared<const Origin>();
  const auto sums = [&](std::uint64_t first, std::initializer_list<double> values) {
    std::vector<Outcome> outcomes;
    for (const double value : values) outcomes.push_back({.values = {value, -value}});
    Sums all(origin);
    all.add(first, outcomes);
    return all;
  };
  const Sums one = sums(0, {9.0, 1.0, 2.0, 5.0, 4.0});
  const Sums other = sums(1, {0.0, 3.0, 4.0, 1.0, 7.0});
  // Differences 1, -1, 1, 3.
  CHECK(difference_error(one, {1.0, 0.0}, other, {1.0, 0.0}) == doctest::Approx(std::sqrt(2.0 / 4.0)));
  CHECK(difference_error(other, {1.0, 0.0}, one, {0.0, -1.0}) == doctest::Approx(std::sqrt(2.0 / 4.0)));
  CHECK(difference_error(one, {1.0, 0.0}, one, {0.0, 0.0}) == doctest::Approx(one.values()[0].standard_error(5)));
  CHECK(difference_error(one, {2.0, 0.0}, one, {0.0, -2.0}) == 0.0);
  CHECK_THROWS_AS(static_cast<void>(difference_error(one, {1.0, 0.0}, sums(5, {1.0}), {1.0, 0.0})),
                  std::invalid_argument);
}

TEST_CASE("rollouts: another seed gives other games") {
  Settings other;
  other.seed = 43;
  CHECK_FALSE(rolled(starting_board(), money(), Settings{}, 0, 36) ==
              rolled(starting_board(), money(), other, 0, 36));
}

TEST_CASE("rollouts: games are played to their end, and chances are within what is possible") {
  Settings settings;
  settings.truncate = 0;
  settings.cube_ply = 1;
  const Rollout rollout(pips(), botd::testing::small_table(), botd::testing::late_game(), money(), settings, 2, {});
  const Result result = rollout.result(rollout.run(0, 72, 2, {}));
  const Probabilities& p = result.cube.probabilities;
  for (const float chance : {p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon}) {
    CHECK(chance > -0.2F);
    CHECK(chance < 1.2F);
  }
  CHECK(result.no_double_error > 0.0);
}

TEST_CASE("rollouts refuse impossible input and end with their time") {
  const auto table = botd::testing::small_table();
  Settings deep;
  deep.play_ply = Settings::kMaxPly + 1;
  CHECK_THROWS_AS(Rollout(pips(), table, starting_board(), money(), deep, 1, {}), std::invalid_argument);
  CHECK_THROWS_AS(Rollout(pips(), table, Board{}, money(), Settings{}, 1, {}), std::invalid_argument);
  CHECK_THROWS_AS(Rollout(pips(), table, starting_board(), money(), Settings{}, 0, {}), std::invalid_argument);
  CHECK_THROWS_AS(Rollout(pips(), table, starting_board(), money(), Settings{}, 1, Deadline(0.0)), DeadlineExceeded);
  const Rollout rollout(pips(), table, starting_board(), money(), Settings{}, 1, {});
  CHECK_THROWS_AS(static_cast<void>(rollout.run(0, 36, 1, Deadline(0.0))), DeadlineExceeded);
  CHECK_THROWS_AS(static_cast<void>(rollout.run(1'000'000'000, 1, 1, {})), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(rollout.result({})), std::invalid_argument);
}

TEST_CASE("plays worth a rollout") {
  const auto source = std::make_shared<PipSource>();
  const auto table = botd::testing::small_table();
  const Decider decider(source, table);
  for (const Selection selection : {Selection::kStatic, Selection::kSearched}) {
    for (const Roll& roll : kRolls) {
      const auto ranked = decider.rank_plays(starting_board(), money(), roll.die1, roll.die2, 0, {});
      const auto kept = candidates(ranked, *source, table, money(), selection, 2, {});
      REQUIRE(kept.size() >= std::min<std::size_t>(2, ranked.size()));
      CHECK(kept.size() <= 5);
      // Whatever was kept beyond two is near the best.
      for (std::size_t i = 2; i < kept.size(); ++i) CHECK(kept[i].equity > kept.front().equity - 0.08);
    }
  }
}

}  // namespace botd::rollout
