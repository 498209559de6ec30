#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include "pip_source.hpp"
#include "random_boards.hpp"
#include "search/decisions.hpp"

using namespace botd;
using namespace botd::testing;

namespace {

SearchSettings filtered(int ply, const std::vector<std::vector<FilterStage>>& rows) {
  SearchSettings settings(ply);
  settings.filter = MoveFilter(rows);
  return settings;
}

}  // namespace

TEST_CASE("a filter keeps what it says; deeper plays stand first and shallower ones keep their values") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  const Board board = starting_board();
  const auto flat = decider.rank_plays(board, CubeState{}, 3, 1, 0, {});
  const auto full = decider.rank_plays(board, CubeState{}, 3, 1, 2, {});
  REQUIRE(flat.size() == full.size());
  REQUIRE(flat.size() > 10);

  // Four plays go on to 1-ply, two of them to 2-ply.
  const auto plays = decider.rank_plays(board, CubeState{}, 3, 1,
                                        filtered(2, {{{0, 4, 9.0}}, {{0, 4, 9.0}, {0, 2, 9.0}}}), {});
  REQUIRE(plays.size() == flat.size());
  const auto one_ply = decider.rank_plays(board, CubeState{}, 3, 1, 1, {});
  const auto equity_in = [](const std::vector<RankedBoard>& list, const Board& wanted) {
    for (const RankedBoard& play : list) {
      if (play.board == wanted) return play.equity;
    }
    return std::nan("");
  };
  for (std::size_t i = 0; i < plays.size(); ++i) {
    const int expected = i < 2 ? 2 : i < 4 ? 1 : 0;
    CHECK(plays[i].ply == expected);
    const auto& reference = expected == 2 ? full : expected == 1 ? one_ply : flat;
    CHECK(plays[i].equity == equity_in(reference, plays[i].board));
    if (i > 0 && plays[i - 1].ply == plays[i].ply) CHECK(plays[i - 1].equity >= plays[i].equity - 1e-6);
  }
  std::set<Board> best_four;
  for (std::size_t i = 0; i < 4; ++i) best_four.insert(flat[i].board);
  for (std::size_t i = 0; i < 4; ++i) CHECK(best_four.contains(plays[i].board));
}

TEST_CASE("a filter's threshold is the distance to the best play") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  const auto flat = decider.rank_plays(starting_board(), CubeState{}, 3, 1, 0, {});
  for (const std::size_t last : {1U, 3U, 6U}) {
    const double distance = flat[0].equity - flat[last].equity;
    std::size_t within = 0;
    while (within < flat.size() && flat[within].equity >= flat[0].equity - distance) ++within;
    const auto plays =
        decider.rank_plays(starting_board(), CubeState{}, 3, 1, filtered(1, {{{0, 100, distance}}}), {});
    std::size_t deep = 0;
    for (const RankedBoard& play : plays) deep += play.ply == 1 ? 1 : 0;
    CHECK(deep == within);
  }
}

TEST_CASE("a play that a filter leaves alone stays where it is, unless the stage accepts it outright") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  const auto shallow =
      decider.rank_plays(starting_board(), CubeState{}, 3, 1, filtered(2, {{{0, 1, 0.0}}}), {});
  CHECK(shallow.front().ply == 0);
  const auto deep = decider.rank_plays(starting_board(), CubeState{}, 3, 1, filtered(2, {{{1, 0, 0.0}}}), {});
  CHECK(deep.front().ply == 2);
  CHECK(deep[1].ply == 0);
  // Nothing to choose: with a filter a forced play is not searched, without one it is.
  Board forced;
  forced.at(1) = 1;
  forced.at(19) = -1;
  forced.at(24) = -1;
  CHECK(decider.rank_plays(forced, CubeState{}, 2, 1, filtered(2, {{{0, 8, 0.16}}}), {}).front().ply == 0);
  CHECK(decider.rank_plays(forced, CubeState{}, 2, 1, 2, {}).front().ply == 2);
}

TEST_CASE("wide filters and the exact search agree") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  std::mt19937 random(23);
  for (int i = 0; i < 20; ++i) {
    const Board board = random_board(random);
    if (game_result(board) != 0) continue;
    const auto exact = decider.rank_plays(board, short_match(), 5, 2, 1, {});
    const auto wide = decider.rank_plays(board, short_match(), 5, 2, filtered(1, {{{1000, 0, 0.0}}}), {});
    REQUIRE(exact.size() == wide.size());
    for (std::size_t k = 0; k < exact.size(); ++k) {
      if (exact.size() == 1) continue;
      CHECK(exact[k].board == wide[k].board);
      CHECK(exact[k].equity == wide[k].equity);
      CHECK(wide[k].ply == 1);
    }
  }
}

TEST_CASE("noise is normal, unbiased, drawn from board and seed, and kept within a probability's bounds") {
  const Probabilities p{0.5F, 0.2F, 0.1F, 0.3F, 0.1F};
  std::mt19937 random(29);
  double sum = 0.0;
  double squares = 0.0;
  double gammon_squares = 0.0;
  int beyond_two = 0;
  constexpr int kBoards = 20000;
  for (int i = 0; i < kBoards; ++i) {
    const Board board = random_board(random);
    const Noise noise{0.02, 0};
    const Probabilities q = noise.added_to(p, board);
    CHECK(q == noise.added_to(p, board));
    const double error = (q.win - p.win) / 0.02;
    sum += error;
    squares += error * error;
    beyond_two += std::abs(error) > 2.0 ? 1 : 0;
    const double gammon_error = (q.win_gammon - p.win_gammon) / 0.005;
    gammon_squares += gammon_error * gammon_error;
  }
  CHECK(std::abs(sum / kBoards) < 0.03);                // four standard errors
  CHECK(std::abs(squares / kBoards - 1.0) < 0.05);
  CHECK(std::abs(gammon_squares / kBoards - 1.0) < 0.05);
  CHECK(std::abs(beyond_two / double{kBoards} - 0.0455) < 0.008);
  CHECK(Noise{0.02, 1}.added_to(p, starting_board()) != Noise{0.02, 2}.added_to(p, starting_board()));
  CHECK(Noise{}.added_to(p, starting_board()) == p);
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Probabilities q = Noise{1.0, seed}.added_to(p, starting_board());
    for (const float value : {q.win, q.win_gammon, q.win_backgammon, q.lose_gammon, q.lose_backgammon}) {
      CHECK(value >= 0.0F);
      CHECK(value <= 1.0F);
    }
  }
}

TEST_CASE("noise enters static decisions and filter stages, not the full search") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  SearchSettings noisy(0);
  noisy.noise = {0.05, 7};
  const auto plain = decider.rank_plays(starting_board(), CubeState{}, 3, 1, 0, {});
  CHECK(decider.rank_plays(starting_board(), CubeState{}, 3, 1, noisy, {}).front().equity != plain.front().equity);
  CHECK(decider.cube_action(starting_board(), CubeState{}, noisy, {}).no_double !=
        decider.cube_action(starting_board(), CubeState{}, 0, {}).no_double);
  CHECK(decider.evaluate(starting_board(), CubeState{}, noisy, {}).cubeless_equity !=
        decider.evaluate(starting_board(), CubeState{}, 0, {}).cubeless_equity);
  noisy.ply = 1;
  CHECK(decider.cube_action(starting_board(), CubeState{}, noisy, {}).no_double ==
        decider.cube_action(starting_board(), CubeState{}, 1, {}).no_double);
  // A narrow filter with noise lets other plays through, whose deep values are true.
  const auto exact = decider.rank_plays(starting_board(), CubeState{}, 3, 1, 1, {});
  int other_best = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    SearchSettings settings = filtered(1, {{{0, 2, 9.0}}});
    settings.noise = {0.1, seed};
    const auto plays = decider.rank_plays(starting_board(), CubeState{}, 3, 1, settings, {});
    other_best += plays.front().board != exact.front().board ? 1 : 0;
    for (const RankedBoard& play : exact) {
      if (play.board == plays.front().board) CHECK(play.equity == plays.front().equity);
    }
  }
  CHECK(other_best > 3);
  // What is known is not disturbed.
  Board last;
  last.at(1) = 1;
  last.at(24) = -15;
  noisy.ply = 0;
  CHECK(decider.rank_plays(last, CubeState{}, 2, 1, noisy, {}).front().equity == 2.0);
}

TEST_CASE("impossible settings are refused") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  for (const int threads : {0, -3, kMaxThreads + 1}) {
    SearchSettings settings(0);
    settings.threads = threads;
    CHECK_THROWS_AS(static_cast<void>(decider.cube_action(starting_board(), CubeState{}, settings, {})),
                    std::invalid_argument);
  }
}
