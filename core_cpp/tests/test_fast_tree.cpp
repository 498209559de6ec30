#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stop_token>
#include <vector>

#include "fast/decider.hpp"
#include "fast/sage_values.hpp"
#include "fast/tree.hpp"
#include "pip_source.hpp"
#include "rules/moves.hpp"
#include "search/decisions.hpp"

namespace botd::fast {
namespace {

using botd::testing::late_game;
using botd::testing::PipSource;
using botd::testing::short_match;
using botd::testing::small_table;

std::shared_ptr<const SageValues> pip_values() {
  return std::make_shared<SageValues>(std::make_shared<PipSource>(), small_table(), nullptr);
}

Settings unpruned() {
  Settings settings;
  settings.filter = MoveFilter();
  settings.pruning = ReplyPruning::none();
  return settings;
}

std::vector<CubeState> some_states() {
  CubeState jacoby;
  jacoby.jacoby = jacoby.beavers = true;
  CubeState owned;
  owned.value = 2;
  owned.owner = CubeOwner::kOwn;
  CubeState capped = owned;
  capped.max_value = 4;
  CubeState bgammon = short_match();
  bgammon.scoring = Scoring::kBgammon;
  return {CubeState{}, jacoby, owned, capped, short_match(), bgammon};
}

TEST_CASE("fast tree: without pruning and filter plays have the values of the exact search") {
  const Decider fast(pip_values(), unpruned());
  const botd::Decider exact(std::make_shared<PipSource>(), small_table());
  for (const CubeState& state : some_states()) {
    for (const int ply : {0, 1, 2}) {
      const Plays mine = fast.rank_plays(late_game(), state, 3, 1, ply, {});
      const auto judge = exact.rank_plays(late_game(), state, 3, 1, SearchSettings(ply), {});
      REQUIRE(mine.plays.size() == judge.size());
      CHECK(mine.ply == ply);
      for (const RankedBoard& play : mine.plays) {
        const auto same = std::find_if(judge.begin(), judge.end(),
                                       [&](const RankedBoard& other) { return other.board == play.board; });
        REQUIRE(same != judge.end());
        CHECK(play.equity == doctest::Approx(same->equity).epsilon(1e-9));
        CHECK(play.probabilities.win == doctest::Approx(same->probabilities.win).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("fast tree: evaluations and cube decisions follow the exact search") {
  const Decider fast(pip_values(), unpruned());
  const botd::Decider exact(std::make_shared<PipSource>(), small_table());
  // Few enough plays a roll that the exact search leaves none of them out of a cube decision.
  for (const CubeState& state : some_states()) {
    for (const int ply : {0, 1, 2}) {
      const CubeAction mine = fast.cube_action(late_game(), state, ply, {});
      const CubeEquities judge = exact.cube_action(late_game(), state, SearchSettings(ply), {});
      CHECK(mine.ply == ply);
      CHECK(mine.equities.no_double == doctest::Approx(judge.no_double).epsilon(1e-9));
      CHECK(mine.equities.double_take == doctest::Approx(judge.double_take).epsilon(1e-9));
      CHECK(mine.equities.double_pass == judge.double_pass);
      CHECK(mine.equities.optimal == doctest::Approx(judge.optimal).epsilon(1e-9));
      CHECK(mine.equities.available == judge.available);
      CHECK(mine.equities.takes == judge.takes);
      CHECK(mine.equities.beavers == judge.beavers);
      const Evaluation value = fast.evaluate(late_game(), state, ply, {});
      const PositionValue judged = exact.evaluate(late_game(), state, SearchSettings(ply), {});
      CHECK(value.value.cubeless_equity == doctest::Approx(judged.cubeless_equity).epsilon(1e-6));
      CHECK(value.value.equity_at_score == doctest::Approx(judged.equity_at_score).epsilon(1e-6));
    }
  }
}

TEST_CASE("fast tree: pruning keeps the roughly best replies within its bounds") {
  // Rough values are the own pips here, and so nearly the evaluator's order: leaving out costs little.
  Settings settings = unpruned();
  const Decider whole(pip_values(), settings);
  settings.recheck = 0.0;
  double last = 1e9;
  for (const int most : {1, 2, 4, 16}) {
    settings.pruning = {1, most, 100.0};
    const Decider pruned(pip_values(), settings);
    const double error = std::abs(pruned.cube_action(starting_board(), {}, 1, {}).equities.no_double -
                                  whole.cube_action(starting_board(), {}, 1, {}).equities.no_double);
    CHECK(error <= last + 1e-12);
    last = error;
  }
  settings.pruning = {ReplyPruning::kAll - 1, ReplyPruning::kAll, 0.0};
  CHECK(Decider(pip_values(), settings).cube_action(starting_board(), {}, 1, {}).equities.no_double ==
        whole.cube_action(starting_board(), {}, 1, {}).equities.no_double);
}

TEST_CASE("fast tree: the number of threads changes no bit") {
  Settings settings;
  const Decider one(pip_values(), settings);
  settings.threads = 3;
  const Decider three(pip_values(), settings);
  for (const CubeState& state : some_states()) {
    const Plays a = one.rank_plays(starting_board(), state, 6, 5, 2, {});
    const Plays b = three.rank_plays(starting_board(), state, 6, 5, 2, {});
    REQUIRE(a.plays.size() == b.plays.size());
    for (std::size_t i = 0; i < a.plays.size(); ++i) {
      CHECK(a.plays[i].board == b.plays[i].board);
      CHECK(a.plays[i].equity == b.plays[i].equity);
      CHECK(a.plays[i].probabilities == b.plays[i].probabilities);
    }
    CHECK(one.cube_action(late_game(), state, 2, {}).equities.double_take ==
          three.cube_action(late_game(), state, 2, {}).equities.double_take);
  }
}

TEST_CASE("fast tree: time over or a stop asked for ends with what is complete") {
  for (const int threads : {1, 2}) {
    Settings settings;
    settings.threads = threads;
    const Decider decider(pip_values(), settings);
    CHECK(decider.rank_plays(starting_board(), {}, 6, 5, 2, Deadline(0.0)).ply == 0);
    CHECK(decider.cube_action(starting_board(), {}, 2, Deadline(-1.0)).ply == 0);
    CHECK(decider.evaluate(starting_board(), {}, 2, Deadline(0.0)).ply == 0);
    std::stop_source stop;
    const Deadline until(Deadline(), stop.get_token());
    CHECK(decider.cube_action(starting_board(), {}, 1, until).ply == 1);
    stop.request_stop();
    CHECK(decider.cube_action(starting_board(), {}, 1, until).ply == 0);
    CHECK(decider.cube_action(starting_board(), {}, 1, Deadline(1000.0)).equities.no_double ==
          decider.cube_action(starting_board(), {}, 1, {}).equities.no_double);
  }
}

TEST_CASE("fast tree: plays that end the game") {
  Board board;
  board.at(1) = 1;
  board.at(2) = 1;
  board.at(24) = -2;
  board.at(23) = -2;
  const Decider decider(pip_values(), Settings{});
  for (const int ply : {0, 1, 2}) {
    const Plays plays = decider.rank_plays(board, {}, 6, 5, ply, {});
    REQUIRE(plays.plays.size() == 1);
    CHECK(plays.plays.front().equity == 1.0);
    CHECK(decider.cube_action(board, {}, ply, {}).equities.double_pass == 1.0);
  }
}

TEST_CASE("fast settings: impossible ones are named") {
  const auto refused = [](const auto& change) {
    Settings settings;
    change(settings);
    CHECK_THROWS_AS(check_settings(settings), std::invalid_argument);
  };
  refused([](Settings& s) { s.pruning.least = 0; });
  refused([](Settings& s) { s.pruning.most = 1; });
  refused([](Settings& s) { s.pruning.margin = std::nan(""); });
  refused([](Settings& s) { s.recheck = -0.1; });
  refused([](Settings& s) { s.narrowing[2].most = 0; });
  refused([](Settings& s) { s.narrowing[0].threshold = -1.0; });
  refused([](Settings& s) { s.threads = 0; });
  refused([](Settings& s) { s.cache_bytes = Settings::kMaxCacheBytes + 1; });
  check_settings(Settings{});
}

}  // namespace
}  // namespace botd::fast
