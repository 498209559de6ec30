#include <doctest/doctest.h>

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bearoff/generate.hpp"
#include "gnubg/evaluator.hpp"
#include "gnubg_weight_content.hpp"
#include "random_boards.hpp"

using namespace botd;
using namespace botd::gnubg;

namespace {

// Data files with random weights and real databases.
class Files {
 public:
  Files() {
    std::string pattern = (std::filesystem::temp_directory_path() / "botd-gnubg-").string() + std::string(6, 'X');
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    names_ = {folder_ / "gnubg.wd", folder_ / "gnubg_os0.bd", folder_ / "gnubg_ts0.bd"};
    std::mt19937 random(1);
    std::ofstream(names_.weights, std::ios::binary) << botd::testing::binary_weights(random);
    bearoff::generate(bearoff::OneSidedShape{}, names_.one_sided);
    bearoff::generate(bearoff::TwoSidedShape{4, 3, true}, names_.two_sided);
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  [[nodiscard]] const DataFiles& names() const { return names_; }

 private:
  std::filesystem::path folder_;
  DataFiles names_;
};

// Both sides past each other: few checkers at home, or any number and often some in the other's home.
Board random_race(std::mt19937& random) {
  const auto from_to = [&](int first, int last) { return first + static_cast<int>(random() % unsigned(last - first + 1)); };
  const bool few = from_to(0, 3) == 0;
  const int border = few ? 4 : from_to(1, 23);
  const int most = few ? 3 : kCheckers;
  Board board;
  for (int n = from_to(0, 2) > 0 ? most : from_to(1, most); n > 0; --n)
    ++board.at(static_cast<std::size_t>(from_to(1, border)));
  for (int n = from_to(0, 2) > 0 ? most : from_to(1, most); n > 0; --n)
    --board.at(static_cast<std::size_t>(from_to(few ? 21 : border + 1, 24)));
  return random() % 2 == 0 ? board : mirrored(board);
}

bool is_consistent(const Probabilities& p) {
  const bool in_range = std::min({p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon}) >= 0.0F &&
                        p.win <= 1.000001F;
  return in_range && p.win_backgammon <= p.win_gammon && p.win_gammon <= p.win &&
         p.lose_backgammon <= p.lose_gammon && p.lose_gammon <= 1.0F - p.win + 1e-6F;
}

std::vector<Board> random_positions(int count) {
  std::mt19937 random(2);
  std::vector<Board> boards;
  while (static_cast<int>(boards.size()) < count) {
    const Board board = boards.size() % 2 == 0 ? botd::testing::random_board(random) : random_race(random);
    if (board_error(board) == nullptr) boards.push_back(board);
  }
  return boards;
}

}  // namespace

TEST_CASE("every kind of position has a consistent value on every path, alone and in a batch") {
  const Files files;
  const std::vector<Board> boards = random_positions(6000);
  std::array<int, 6> seen{};
  int backgammons = 0;
  std::vector<Probabilities> first;
  for (const CpuPath path : available_cpu_paths()) {
    EvaluatorOptions options;
    options.path = path;
    const auto evaluator = Evaluator::load(files.names(), options);
    Workspace workspace;
    std::vector<Probabilities> batch(boards.size());
    evaluator->evaluate(boards, batch, workspace);
    if (first.empty()) first = batch;
    CHECK(batch == first);
    for (std::size_t i = 0; i < boards.size(); ++i) {
      const PositionClass position_class = evaluator->classify(boards[i]);
      ++seen[static_cast<std::size_t>(position_class)];
      REQUIRE(evaluator->evaluate(boards[i], workspace) == batch[i]);
      REQUIRE(is_consistent(batch[i]));
      REQUIRE(is_consistent(evaluator->noisy(boards[i], 0.2, {NoiseSource::Kind::kSeeded, i}, workspace)));
      if (position_class < PositionClass::kRace) continue;
      REQUIRE(is_consistent(evaluator->prune_value(boards[i], position_class, workspace)));
      if (position_class == PositionClass::kRace) backgammons += batch[i].win_backgammon > 0.0F ? 1 : 0;
    }
  }
  // Finished games do not come up at random.
  CHECK(std::all_of(seen.begin() + 1, seen.end(), [](int n) { return n > 20; }));
  CHECK(backgammons > 20);
}

TEST_CASE("threads share an evaluator") {
  const Files files;
  const auto evaluator = Evaluator::load(files.names());
  const std::vector<Board> boards = random_positions(1500);
  std::array<std::vector<Probabilities>, 4> results;
  std::vector<std::thread> threads;
  for (std::vector<Probabilities>& result : results) {
    result.resize(boards.size());
    threads.emplace_back([&] {
      Workspace workspace;
      evaluator->evaluate(boards, result, workspace);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Probabilities>& result : results) CHECK(result == results.front());
}

TEST_CASE("what an evaluator is asked in vain") {
  const Files files;
  const auto evaluator = Evaluator::load({files.names().weights, {}, {}});
  Workspace workspace;
  std::vector<Probabilities> out(2);
  CHECK_THROWS_AS(evaluator->evaluate(std::vector<Board>(1, starting_board()), out, workspace), std::invalid_argument);
  CHECK_THROWS_AS((void)evaluator->two_sided(starting_board()), std::invalid_argument);
  CHECK_THROWS_AS((void)evaluator->prune_value(starting_board(), PositionClass::kOneSided, workspace),
                  std::invalid_argument);
  CHECK_THROWS_AS((void)evaluator->network_outputs(starting_board(), PositionClass::kOver, workspace),
                  std::invalid_argument);
}
