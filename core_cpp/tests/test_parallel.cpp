#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pip_source.hpp"
#include "random_boards.hpp"
#include "rules/moves.hpp"
#include "search/decisions.hpp"
#include "search/parallel.hpp"

using namespace botd;
using namespace botd::testing;

namespace {

SearchSettings in_threads(int ply, int threads) {
  SearchSettings settings(ply);
  settings.threads = threads;
  return settings;
}

// Fails after a number of evaluations, as an evaluator that runs out of memory would.
class FailingSource final : public PipSource {
 public:
  explicit FailingSource(int evaluations) : left_(evaluations) {}
  void evaluate_pinned(std::span<const Board> boards, int network, const Board& unmoved,
                       std::span<Probabilities> out, Scratch& scratch) const override {
    if (left_-- <= 0) throw std::runtime_error("out of something");
    PipSource::evaluate_pinned(boards, network, unmoved, out, scratch);
  }
  [[nodiscard]] int left() const { return left_; }

 private:
  mutable std::atomic<int> left_;
};

bool same(const std::vector<RankedBoard>& a, const std::vector<RankedBoard>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const RankedBoard& x, const RankedBoard& y) {
    return x.board == y.board && x.equity == y.equity && x.cubeless_equity == y.cubeless_equity &&
           x.probabilities == y.probabilities && x.ply == y.ply;
  });
}

bool same(const CubeEquities& a, const CubeEquities& b) {
  return a.no_double == b.no_double && a.double_take == b.double_take && a.double_pass == b.double_pass &&
         a.optimal == b.optimal && a.doubles == b.doubles && a.takes == b.takes && a.beavers == b.beavers &&
         a.probabilities == b.probabilities && a.cubeless_equity == b.cubeless_equity;
}

bool same(const PositionValue& a, const PositionValue& b) {
  return a.probabilities == b.probabilities && a.cubeless_equity == b.cubeless_equity &&
         a.equity_at_score == b.equity_at_score;
}

std::vector<Board> open_boards(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::vector<Board> boards;
  while (boards.size() < count) {
    const Board board = random_board(random);
    if (board_error(board) == nullptr && game_result(board) == 0) boards.push_back(board);
  }
  return boards;
}

}  // namespace

TEST_CASE("every index is worked on once, whatever the number of threads") {
  for (const int threads : {-1, 0, 1, 2, 7, 64}) {
    for (const std::size_t count : {0U, 1U, 3U, 500U}) {
      std::vector<std::atomic<int>> done(count);
      std::atomic<int> workers{0};
      for_each_index(count, threads, [&](const std::stop_token&) {
        ++workers;
        return [&](std::size_t index) { ++done[index]; };
      });
      for (const auto& times : done) CHECK(times == 1);
      CHECK(workers <= std::max(threads, 1));
    }
  }
}

TEST_CASE("the first exception ends the work of all threads and arrives as it was") {
  std::atomic<int> after{0};
  std::atomic<bool> failed{false};
  CHECK_THROWS_WITH_AS(for_each_index(100000, 4,
                                      [&](const std::stop_token&) {
                                        return [&](std::size_t index) {
                                          if (failed) ++after;
                                          if (index == 1000) {
                                            failed = true;
                                            throw std::runtime_error("index 1000");
                                          }
                                        };
                                      }),
                       "index 1000", std::runtime_error);
  CHECK(after < 99000);
  // A thread that cannot begin is a failure like any other.
  CHECK_THROWS_AS(for_each_index(10, 3,
                                 [](const std::stop_token&) -> std::function<void(std::size_t)> {
                                   throw std::bad_alloc();
                                 }),
                  std::bad_alloc);
}

TEST_CASE("decisions are bit by bit the same for any number of threads") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  std::vector<Board> boards = open_boards(3, 4);
  boards.push_back(late_game());
  for (const Board& board : boards) {
    for (const CubeState& state : {CubeState{}, short_match()}) {
      for (int ply = 0; ply <= 3; ++ply) {
        if (ply == 3 && board != late_game()) continue;  // minutes under ThreadSanitizer
        const auto plays = decider.rank_plays(board, state, 6, 1, ply, {});
        const auto cube = decider.cube_action(board, state, ply, {});
        const auto value = decider.evaluate(board, state, ply, {});
        for (const int threads : {2, 3, 16}) {
          CHECK(same(decider.rank_plays(board, state, 6, 1, in_threads(ply, threads), {}), plays));
          CHECK(same(decider.cube_action(board, state, in_threads(ply, threads), {}), cube));
          CHECK(same(decider.evaluate(board, state, in_threads(ply, threads), {}), value));
        }
      }
    }
  }
}

TEST_CASE("many threads hammer one decider with decisions that are threaded themselves") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  const std::vector<Board> boards = open_boards(17, 12);
  struct Answer {
    std::vector<RankedBoard> plays;
    CubeEquities cube;
    PositionValue value;
  };
  const auto ask = [&](std::size_t i, int threads) {
    const int ply = static_cast<int>(i % 3);
    const CubeState state = i % 2 == 0 ? CubeState{} : short_match();
    const int die = 1 + static_cast<int>(i % 6);
    SearchSettings settings = in_threads(ply, threads);
    if (i % 4 == 1) settings.filter = MoveFilter::named("tiny", FilterTable::kA);
    if (i % 4 == 2) settings.noise = {0.05, i};
    return Answer{decider.rank_plays(boards[i], state, die, 2, settings, {}),
                  decider.cube_action(boards[i], state, settings, {}),
                  decider.evaluate(boards[i], state, settings, {})};
  };
  std::vector<Answer> expected;
  for (std::size_t i = 0; i < boards.size(); ++i) expected.push_back(ask(i, 1));
  std::atomic<int> differences{0};
  std::atomic<int> answers{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(t);
        for (int round = 0; round < 18; ++round) {
          const std::size_t i = random() % boards.size();
          if (round % 9 == 8) {
            // Calls that end early must not disturb the others.
            try {
              static_cast<void>(decider.cube_action(boards[i], CubeState{}, in_threads(3, 2), Deadline(1e-4)));
            } catch (const DeadlineExceeded&) {
            }
            continue;
          }
          const Answer answer = ask(i, 1 + static_cast<int>(random() % 4));
          ++answers;
          if (!same(answer.plays, expected[i].plays) || !same(answer.cube, expected[i].cube) ||
              !same(answer.value, expected[i].value)) {
            ++differences;
          }
        }
      });
    }
  }
  CHECK(answers > 100);
  CHECK(differences == 0);
}

TEST_CASE("a search in threads ends at its time limit, and the decider goes on") {
  const Decider decider(std::make_shared<PipSource>(), small_table());
  const auto before = decider.cube_action(late_game(), short_match(), 2, {});
  for (const double seconds : {0.0, 0.002, 0.02}) {
    const auto start = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(static_cast<void>(decider.rank_plays(starting_board(), CubeState{}, 4, 4,
                                                         in_threads(4, 8), Deadline(seconds))),
                    DeadlineExceeded);
    // Far less than the hours of the whole search.
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
  }
  CHECK(same(decider.cube_action(late_game(), short_match(), in_threads(2, 8), {}), before));
}

TEST_CASE("an evaluator's failure in any thread arrives, and the decider can be asked again") {
  for (const int threads : {1, 2, 8}) {
    for (const int evaluations : {0, 1, 30, 200}) {
      const auto source = std::make_shared<FailingSource>(evaluations);
      const Decider decider(source, small_table());
      CHECK_THROWS_WITH_AS(static_cast<void>(decider.rank_plays(starting_board(), CubeState{}, 6, 4,
                                                                in_threads(3, threads), {})),
                           "out of something", std::runtime_error);
      CHECK(source->left() > -1000);  // the other threads gave up soon
      CHECK_NOTHROW(static_cast<void>(decider.rank_plays(starting_board(), CubeState{}, 6, 4, 0, {})));
    }
  }
}

TEST_CASE("search memory is bounded for each thread, and little of it is kept") {
  CHECK(NodeMemo::kEntries * sizeof(NodeMemo::Entry) <= NodeMemo::kMaxBytes);
  const PipSource source;
  TreeWorkspace workspace(source);
  CHECK(workspace.memo_bytes() == 0);
  const MatchEquityTable table = small_table();
  const CubeState state;
  const Deadline none;
  const TreePlan plan({&state, 1}, 4, true, table);
  Tree tree(source, plan, {}, none, workspace);
  double native = 0.0;
  static_cast<void>(tree.run(late_game(), {&native, 1}));
  CHECK(workspace.memo_bytes() > 0);
  CHECK(workspace.memo_bytes() <= TreeWorkspace::kMaxMemoBytes);

  WorkspacePool pool(source);
  {
    std::vector<std::unique_ptr<WorkspacePool::Lease>> leases;
    for (std::size_t i = 0; i < 3 * WorkspacePool::kKept; ++i) {
      leases.push_back(std::make_unique<WorkspacePool::Lease>(pool));
    }
    CHECK(pool.kept() == 0);
  }
  CHECK(pool.kept() == WorkspacePool::kKept);
}
