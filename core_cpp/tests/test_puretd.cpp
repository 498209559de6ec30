#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fast/puretd_values.hpp"
#include "network_content.hpp"
#include "puretd/search.hpp"
#include "rules/errors.hpp"

using namespace botd;
using namespace botd::puretd;

namespace {

std::shared_ptr<const Evaluator> small_evaluator(const std::string& kind, std::size_t outputs) {
  std::mt19937 random(7);
  const bool cubeful = kind == "cubeful_equity";
  const bool logistic = kind == "win" || kind == "probabilities5";
  const std::string content = testing::network_content(
      random, kind, cubeful ? "cubeful_perspective196" : "perspective196", cubeful ? kCubefulInputs : kBoardInputs,
      {24, 12, outputs}, logistic ? "logistic" : "linear", 3.0F);
  return std::make_shared<const Evaluator>(nets::parse_network(content, "file"), "file", nets::Arithmetic::kFloat,
                                           nets::dense_kernels(best_cpu_path()));
}

// Worth of a play to its mover, by the network alone.
double static_worth(const Evaluator& evaluator, const Board& post_move, const CubeState& state) {
  if (const int result = game_result(post_move); result != 0)
    return result_equity(result, evaluator.cubeful() ? state : CubeState{}, evaluator.wins_only());
  const Board turned = mirrored(post_move);
  const CubeOwner view = other_side(state).owner;
  float equity = 0.0F;
  Evaluator::Workspace workspace;
  evaluator.equities({&turned, 1}, view, moment_of(view), {&equity, 1}, workspace);
  return -static_cast<double>(equity);
}

CubeState owned_by(CubeOwner owner, bool jacoby) {
  CubeState state;
  state.owner = owner;
  state.jacoby = jacoby;
  return state;
}

}  // namespace

TEST_CASE("one roll deep is the average of the best plays, for every kind of network") {
  const Deadline none;
  for (const auto& [kind, outputs] :
       {std::pair{"cubeful_equity", 1U}, {"cubeless_equity", 1U}, {"probabilities5", 5U}, {"win", 1U}}) {
    CAPTURE(kind);
    const auto evaluator = small_evaluator(kind, outputs);
    Search search(*evaluator, none);
    const Board board = starting_board();
    for (const CubeOwner owner : {CubeOwner::kCentered, CubeOwner::kOwn, CubeOwner::kOpponent}) {
      const CubeState state = owned_by(owner, true);
      double sum = 0.0;
      for (const Roll& roll : kRolls) {
        const std::vector<RankedPlay> plays = search.rank_plays(board, state, roll.die1, roll.die2, 0);
        for (const RankedPlay& play : plays)
          CHECK(play.equity == doctest::Approx(static_worth(*evaluator, play.board, state)).epsilon(1e-5));
        CHECK(std::is_sorted(plays.begin(), plays.end(),
                             [](const RankedPlay& a, const RankedPlay& b) { return a.equity > b.equity; }));
        sum += roll.ways * plays.front().equity;
      }
      CHECK(search.before_roll(board, state, 1) == doctest::Approx(sum / 36.0).epsilon(1e-5));
    }
  }
}

TEST_CASE("the table of cube decisions") {
  const CubeState centred = owned_by(CubeOwner::kCentered, false);
  const CubeState jacoby = owned_by(CubeOwner::kCentered, true);
  const CubeState own = owned_by(CubeOwner::kOwn, true);
  CHECK(decided(0.4, 0.6, centred).doubles);
  CHECK(decided(0.4, 0.6, centred).optimal == 0.6);
  CHECK_FALSE(decided(0.6, 0.4, centred).doubles);
  CHECK(decided(0.9, 1.2, centred).doubles);
  CHECK_FALSE(decided(0.9, 1.2, centred).takes);
  CHECK(decided(0.9, 1.2, centred).optimal == 1.0);
  CHECK_FALSE(decided(1.1, 1.2, centred).doubles);  // too good
  CHECK(decided(1.1, 1.2, centred).optimal == 1.1);
  CHECK(decided(1.1, 1.2, jacoby).doubles);  // never, if gammons do not count
  CHECK_FALSE(decided(1.1, 1.2, own).doubles);
  CHECK_FALSE(decided(0.4, 0.6, owned_by(CubeOwner::kOpponent, false)).available);
  CHECK_FALSE(decided(0.4, 0.6, owned_by(CubeOwner::kOpponent, false)).doubles);
}

TEST_CASE("threads share an evaluator") {
  const auto evaluator = small_evaluator("cubeful_equity", 1);
  const auto all_rolls = [&] {
    const Deadline none;
    Search search(*evaluator, none);
    std::vector<double> equities;
    for (const Roll& roll : kRolls)
      for (const RankedPlay& play : search.rank_plays(starting_board(), {}, roll.die1, roll.die2, 0))
        equities.push_back(play.equity);
    return equities;
  };
  const std::vector<double> expected = all_rolls();
  std::vector<std::vector<double>> found(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<double>& one : found) threads.emplace_back([&one, &all_rolls] { one = all_rolls(); });
  }
  for (const std::vector<double>& one : found) CHECK(one == expected);
}

TEST_CASE("a deadline that has passed ends a search of any depth") {
  const auto evaluator = small_evaluator("cubeful_equity", 1);
  const Deadline passed(0.0);
  Search search(*evaluator, passed);
  for (const int ply : {0, 1}) {
    CHECK_THROWS_AS((void)search.rank_plays(starting_board(), {}, 3, 1, ply), DeadlineExceeded);
    CHECK_THROWS_AS((void)search.cube_action(starting_board(), {}, ply), DeadlineExceeded);
  }
}

TEST_CASE("the fast search's values of a play in several cube states") {
  const auto evaluator = small_evaluator("cubeful_equity", 1);
  const MatchEquityTable table(std::vector<double>(25, 0.5), std::vector<double>(5, 0.5));
  const fast::PuretdValues values(evaluator, table, nullptr);
  const auto scratch = values.make_scratch(0);
  const std::vector<CubeState> states = {owned_by(CubeOwner::kOwn, true), owned_by(CubeOwner::kCentered, true),
                                         owned_by(CubeOwner::kOpponent, true)};
  BoardList plays;
  legal_boards(starting_board(), 6, 5, plays);
  const std::span<const Board> boards(plays.data(), plays.size());
  const std::vector<std::uint32_t> picked = {0, static_cast<std::uint32_t>(boards.size() - 1)};
  values.begin({starting_board(), states.front(), 1}, *scratch);
  const auto actual = values.prepared({states.front()}, true);
  const auto all = values.prepared(states, true);
  std::vector<double> ratings(boards.size());
  std::vector<float> ties(boards.size());
  values.ratings(boards, starting_board(), *actual, {1}, ratings, ties, *scratch);
  std::vector<double> found(picked.size() * states.size());
  values.values(boards, picked, *all, found, {}, *scratch);
  for (std::size_t k = 0; k < picked.size(); ++k) {
    CHECK(found[k * states.size()] == ratings[picked[k]]);
    for (std::size_t j = 0; j < states.size(); ++j)
      CHECK(found[k * states.size() + j] ==
            doctest::Approx(static_worth(*evaluator, boards[picked[k]], states[j])).epsilon(1e-5));
  }
  CubeState match;
  match.own_away = match.opponent_away = 3;
  CHECK_THROWS_AS(values.begin({starting_board(), match, 1}, *scratch), UnsupportedGame);
  CHECK_THROWS_AS(fast::PuretdValues(small_evaluator("win", 1), table, nullptr), UnsupportedGame);
}
