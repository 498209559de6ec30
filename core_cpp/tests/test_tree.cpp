#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "cube/cube_value.hpp"
#include "pip_source.hpp"
#include "rules/moves.hpp"
#include "search/decisions.hpp"
#include "search/tree.hpp"

using namespace botd;
using namespace botd::testing;

namespace {

using States = std::vector<std::optional<CubeState>>;

// The tree's definition word for word: nothing shared, nothing remembered. Values by state, then the
// probabilities' win in the last place.
std::vector<double> by_definition(const Board& board, const States& states, int depth, bool expands,
                                  const MatchEquityTable& table) {
  std::vector<double> values;
  const Probabilities none;
  if (const int result = game_result(board); result != 0) {
    for (const auto& state : states) {
      const Probabilities p = terminal_probabilities(result);
      values.push_back(state ? CubeValue(*state, table).dead_value(p) : 0.0);
    }
    values.push_back(terminal_probabilities(result).win);
    return values;
  }
  States expanded;
  for (const auto& state : states) {
    expanded.push_back(state);
    if (expands)
      expanded.push_back(state && may_double(*state) ? std::optional(doubled(*state)) : std::nullopt);
  }
  std::vector<double> sums(expanded.size() + 1, 0.0);
  if (depth == 1) {
    const PipSource source;
    const Probabilities p = source.clamped(inverted(PipSource::value(mirrored(board))), board);
    for (std::size_t i = 0; i < expanded.size(); ++i) {
      if (expanded[i]) sums[i] = CubeValue(*expanded[i], table).value(p, cube_efficiency(board));
    }
    sums.back() = p.win;
  } else {
    States opponent;
    for (const auto& state : expanded)
      opponent.push_back(state ? std::optional(other_side(*state)) : std::nullopt);
    const CubeValue driver(*states.front(), table);
    for (const Roll& roll : kRolls) {
      BoardList plays;
      legal_boards(board, roll.die1, roll.die2, plays);
      std::vector<Board> candidates(plays.begin(), plays.end());
      if (candidates.empty()) candidates.push_back(board);
      const auto equity = [&](const Board& b) {
        return driver.equity(driver.value(PipSource::value(b), cube_efficiency(b)));
      };
      const auto cubeless = [](const Board& b) { return cubeless_equity(PipSource::value(b)); };
      double highest = -100.0;
      for (const Board& b : candidates) highest = std::max(highest, equity(b));
      std::optional<Board> best;
      for (const Board& b : candidates) {
        if (equity(b) >= highest - 1e-6 && (!best || cubeless(b) > cubeless(*best))) best = b;
      }
      const std::vector<double> after = by_definition(mirrored(*best), opponent, depth - 1, true, table);
      for (std::size_t i = 0; i < expanded.size(); ++i) {
        if (expanded[i]) sums[i] += roll.ways * CubeValue(*expanded[i], table).other_side(after[i]) / 36.0;
      }
      sums.back() += roll.ways * (1.0 - after.back()) / 36.0;
    }
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::size_t at = expands ? 2 * i : i;
    double value = sums[at];
    if (states[i] && expands && expanded[at + 1]) {
      value = collapsed(CubeValue(*states[i], table), sums[at], sums[at + 1]);
    }
    values.push_back(value);
  }
  values.push_back(sums.back());
  return values;
}

CubeState jacoby_and_beavers() {
  CubeState state;
  state.jacoby = true;
  state.beavers = true;
  return state;
}

}  // namespace

TEST_CASE("sharing and remembering nodes changes no value") {
  const MatchEquityTable table = small_table();
  const PipSource source;
  const Deadline none;
  TreeWorkspace workspace(source);
  for (const CubeState& state : {jacoby_and_beavers(), short_match(), CubeState{}}) {
    for (const bool root_expands : {true, false}) {
      const std::vector<CubeState> roots = {state, doubled(state)};
      const TreePlan plan(roots, 3, root_expands, table);
      Tree tree(source, plan, {}, none, workspace);
      std::vector<double> values(2);
      for (const Board& board : {late_game(), mirrored(late_game()), late_game()}) {
        const Probabilities p = tree.run(board, values);
        const std::vector<double> expected =
            by_definition(board, {roots[0], roots[1]}, 3, root_expands, table);
        CHECK(values[0] == doctest::Approx(expected[0]).epsilon(1e-6));
        CHECK(values[1] == doctest::Approx(expected[1]).epsilon(1e-6));
        CHECK(p.win == doctest::Approx(expected[2]).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("3 and 4 plies are what their definition says, on boards with few men") {
  const MatchEquityTable table = small_table();
  const Decider decider(std::make_shared<PipSource>(), table);
  Board contact;  // a straggler and a blot each
  contact.at(2) = 1;
  contact.at(9) = 1;
  contact.at(4) = -1;
  contact.at(23) = -1;
  Board bearoff;
  bearoff.at(3) = 1;
  bearoff.at(6) = 2;
  bearoff.at(21) = -1;
  bearoff.at(19) = -1;
  for (const CubeState& state : {jacoby_and_beavers(), short_match()}) {
    for (const Board& board : {contact, bearoff}) {
      for (const int ply : {3, 4}) {
        if (ply == 4 && board == contact) continue;  // 21 times as long
        const auto plays = decider.rank_plays(board, state, 2, 1, ply, {});
        const CubeValue opponent(other_side(state), table);
        for (const RankedBoard& play : plays) {
          const auto expected = by_definition(mirrored(play.board), {other_side(state)}, ply + 1, true, table);
          CHECK(play.equity == doctest::Approx(-opponent.equity(expected[0])).epsilon(1e-9));
          CHECK(play.probabilities.win == doctest::Approx(1.0 - expected[1]).epsilon(1e-5));
        }
        const CubeEquities cube = decider.cube_action(board, state, ply, {});
        const auto expected = by_definition(board, {state, doubled(state)}, ply + 1, false, table);
        const CubeValue value(state, table);
        CHECK(cube.no_double == doctest::Approx(value.equity(expected[0])).epsilon(1e-9));
        CHECK(cube.double_take ==
              doctest::Approx(value.equity(decide_cube(value, expected[0], expected[1]).take)).epsilon(1e-9));
      }
    }
  }
}

namespace {

// A race of one checker against one, on points 1 to 6, solved to its end without any evaluator.
class LastCheckers {
 public:
  // Chance to bear the checker off with one roll.
  static double off_at_once(int point) {
    int ways = 0;
    for (int a = 1; a <= 6; ++a) {
      for (int b = 1; b <= 6; ++b) ways += (a == b ? 4 * a : a + b) >= point ? 1 : 0;
    }
    return ways / 36.0;
  }

  // Points per unit of the cube for the side on roll with best play of the cube, before it may double.
  // owner 0 nobody, 1 the side on roll, 2 the other.
  static double money(int own, int other, int owner) {
    const double no_double = rolled(own, other, owner);
    if (owner == 2) return no_double;
    const double take = 2.0 * rolled(own, other, 2);
    return std::max(no_double, std::min(take, 1.0));
  }
  static double rolled(int own, int other, int owner) {
    double sum = 0.0;
    for (int a = 1; a <= 6; ++a) {
      for (int b = 1; b <= 6; ++b) {
        const int left = own - (a == b ? 4 * a : a + b);
        sum += left <= 0 ? 1.0 : -money(other, left, owner == 0 ? 0 : 3 - owner);
      }
    }
    return sum / 36.0;
  }
  static double win(int own, int other) {
    double sum = 0.0;
    for (int a = 1; a <= 6; ++a) {
      for (int b = 1; b <= 6; ++b) {
        const int left = own - (a == b ? 4 * a : a + b);
        sum += left <= 0 ? 1.0 : 1.0 - win(other, left);
      }
    }
    return sum / 36.0;
  }
};

}  // namespace

TEST_CASE("a search that reaches the end of the game is exact, whatever the evaluator says") {
  // From any point two rolls always suffice, so that four plies see every end.
  const Decider decider(std::make_shared<PipSource>(), small_table());
  int doubles = 0;
  int passes = 0;
  for (int own = 1; own <= 6; ++own) {
    for (int other = 1; other <= 6; ++other) {
      Board board;
      board.at(static_cast<std::size_t>(own)) = 1;
      board.at(static_cast<std::size_t>(25 - other)) = -1;
      for (int owner = 0; owner <= 1; ++owner) {
        CubeState state;
        state.owner = owner == 0 ? CubeOwner::kCentered : CubeOwner::kOwn;
        const CubeEquities cube = decider.cube_action(board, state, 4, {});
        CHECK(cube.no_double == doctest::Approx(LastCheckers::rolled(own, other, owner)).epsilon(1e-9));
        CHECK(cube.double_take == doctest::Approx(2.0 * LastCheckers::rolled(own, other, 2)).epsilon(1e-9));
        CHECK(cube.optimal == doctest::Approx(LastCheckers::money(own, other, owner)).epsilon(1e-9));
        CHECK(cube.probabilities.win == doctest::Approx(LastCheckers::win(own, other)).epsilon(1e-6));
        doubles += cube.doubles ? 1 : 0;
        passes += cube.takes ? 0 : 1;
      }
    }
  }
  CHECK(doubles > 20);
  CHECK(passes > 10);
  CHECK(LastCheckers::off_at_once(6) == doctest::Approx(27.0 / 36.0));
}

TEST_CASE("plays are ranked, and a dance is the unchanged board") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  for (int ply = 0; ply <= 2; ++ply) {
    const auto plays = decider.rank_plays(late_game(), CubeState{}, 3, 1, ply, {});
    CHECK(plays.size() > 3);
    for (std::size_t i = 1; i < plays.size(); ++i) CHECK(plays[i - 1].equity >= plays[i].equity - 1e-6);
  }
  Board shut_out;
  shut_out.at(kOwnBar) = 1;
  for (std::size_t i = 19; i <= 24; ++i) shut_out.at(i) = -2;
  const auto dance = decider.rank_plays(shut_out, CubeState{}, 6, 5, 1, {});
  REQUIRE(dance.size() == 1);
  CHECK(dance.front().board == shut_out);
}

TEST_CASE("a search that is out of time says so and leaves the decider usable") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  CHECK_THROWS_AS(static_cast<void>(decider.rank_plays(late_game(), CubeState{}, 3, 1, 2, Deadline(0.0))),
                  DeadlineExceeded);
  CHECK_THROWS_AS(static_cast<void>(decider.cube_action(starting_board(), CubeState{}, 3, Deadline(0.002))),
                  DeadlineExceeded);
  const auto before = decider.cube_action(late_game(), CubeState{}, 2, {});
  const auto after = decider.cube_action(late_game(), CubeState{}, 2, Deadline(1e9));
  CHECK(before.no_double == after.no_double);
  CHECK(before.double_take == after.double_take);
}

TEST_CASE("threads share a decider without noticing each other") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  const auto expected_plays = decider.rank_plays(late_game(), CubeState{}, 3, 1, 2, {});
  const auto expected_cube = decider.cube_action(late_game(), short_match(), 2, {});
  std::atomic<int> differences{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 3; ++i) {
        const auto plays = decider.rank_plays(late_game(), CubeState{}, 3, 1, 2, {});
        for (std::size_t k = 0; k < plays.size(); ++k) {
          if (plays[k].equity != expected_plays[k].equity) ++differences;
        }
        const auto cube = decider.cube_action(late_game(), short_match(), 2, {});
        if (cube.double_take != expected_cube.double_take) ++differences;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(differences == 0);
}

TEST_CASE("impossible input is refused") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  const auto refused = [&decider](const Board& board, const CubeState& state, int die, int ply) {
    CHECK_THROWS_AS(static_cast<void>(decider.rank_plays(board, state, die, 1, ply, {})),
                    std::invalid_argument);
  };
  refused(late_game(), CubeState{}, 7, 0);
  refused(late_game(), CubeState{}, 0, 0);
  refused(late_game(), CubeState{}, 1, kMaxPly + 1);
  refused(late_game(), CubeState{}, 1, -1);
  refused(Board{}, CubeState{}, 1, 0);
  Board over = late_game();
  for (std::size_t i : {22U, 15U, 24U}) over.at(i) = 0;
  refused(over, CubeState{}, 1, 0);
  CubeState odd;
  odd.value = 3;
  refused(late_game(), odd, 1, 0);
  CubeState half_a_match;
  half_a_match.own_away = 3;
  refused(late_game(), half_a_match, 1, 0);
}

TEST_CASE("board index finds boards again after growing and clearing") {
  BoardIndex index;
  for (int round = 0; round < 3; ++round) {
    index.clear();
    Board board;
    for (std::int8_t a = 0; a < 15; ++a) {
      for (std::int8_t b = 0; b < 15; ++b) {
        for (std::int8_t c = 0; c < 15; ++c) {
          board.at(1) = a;
          board.at(2) = b;
          board.at(3) = c;
          index.insert(board);
        }
      }
    }
    CHECK(index.boards().size() == 15 * 15 * 15);
    CHECK(index.insert(board) == 15 * 15 * 15 - 1);
  }
}
