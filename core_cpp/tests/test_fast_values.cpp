#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "cube/cube_value.hpp"
#include "fast/sage_values.hpp"
#include "fast/static_cache.hpp"
#include "pip_source.hpp"
#include "random_boards.hpp"
#include "rules/moves.hpp"

namespace botd::fast {
namespace {

using botd::testing::PipSource;
using botd::testing::late_game;
using botd::testing::short_match;
using botd::testing::small_table;

SageValues pip_values() { return {std::make_shared<PipSource>(), small_table(), nullptr}; }

std::vector<Board> results(const Board& board, int die1, int die2) {
  BoardList list;
  legal_boards(board, die1, die2, list);
  return {list.begin(), list.end()};
}

std::vector<CubeState> some_states() {
  CubeState owned = per_unit(doubled(CubeState{}));
  CubeState capped;
  capped.value = capped.max_value = 2;
  capped.owner = CubeOwner::kOwn;
  return {CubeState{}, owned, other_side(owned), capped};
}

TEST_CASE("fast values: what a board is worth is the leaf value of the cube formulas") {
  const SageValues source = pip_values();
  const auto scratch = source.make_scratch(0);
  const Board root = starting_board();
  source.begin({root, {}, 1}, *scratch);
  const std::vector<Board> boards = results(root, 3, 1);
  const auto driver = source.prepared({CubeState{}}, false);
  std::vector<double> ratings(boards.size());
  std::vector<float> ties(boards.size());
  source.ratings(boards, root, *driver, {1}, ratings, ties, *scratch);
  for (std::size_t i = 0; i < boards.size(); ++i) {
    const Probabilities p = PipSource::value(boards[i]);
    CHECK(ratings[i] == CubeValue({}, small_table()).value(p, cube_efficiency(boards[i])));
    CHECK(ties[i] == cubeless_equity(p));
  }

  const auto states = source.prepared(some_states(), true);
  const std::array<std::uint32_t, 2> picked = {3, 0};
  std::vector<double> values(picked.size() * states->size());
  std::array<Probabilities, 2> probabilities;
  source.values(boards, picked, *states, values, probabilities, *scratch);
  for (std::size_t k = 0; k < picked.size(); ++k) {
    const Board& board = boards[picked[k]];
    const Probabilities p = PipSource::value(board);
    CHECK(probabilities[k] == p);
    for (std::size_t j = 0; j < states->size(); ++j) {
      const CubeState opponent = other_side(states->states()[j]);
      const auto value = [&](const CubeState& state) {
        return CubeValue(state, small_table()).value(inverted(p), cube_efficiency(board));
      };
      double expected = value(opponent);
      if (may_double(opponent)) {
        expected = collapsed(CubeValue(opponent, small_table()), expected, value(doubled(opponent)));
      }
      CHECK(values[k * states->size() + j] == doctest::Approx(-expected).epsilon(1e-12));
    }
  }
}

TEST_CASE("fast values: match states, impossible outcomes and finished games") {
  const SageValues source = pip_values();
  const auto scratch = source.make_scratch(0);
  const Board root = late_game();
  source.begin({root, short_match(), 1}, *scratch);
  Board won = root;
  for (std::size_t i = 1; i <= 24; ++i) won.at(i) = std::min<std::int8_t>(won.at(i), 0);
  const std::vector<Board> boards = {won, root};
  const auto states = source.prepared({short_match()}, true);
  std::array<double, 2> ratings{};
  std::array<float, 2> ties{};
  source.ratings(boards, root, *states, {1}, ratings, ties, *scratch);
  std::array<double, 2> values{};
  std::array<Probabilities, 2> probabilities;
  const std::array<std::uint32_t, 2> picked = {0, 1};
  source.values(boards, picked, *states, values, probabilities, *scratch);
  const int points = game_result(won);
  REQUIRE(points > 0);
  CHECK(values[0] == doctest::Approx(CubeValue(short_match(), small_table()).won(points)).epsilon(1e-12));
  CHECK(source.is_leaf(won, *scratch));
  CHECK_FALSE(source.is_leaf(root, *scratch));
  CHECK(probabilities[1].lose_gammon == 0.0F);  // a checker of ours is off
  CHECK(PipSource::value(root).lose_gammon > 0.0F);
}

TEST_CASE("fast values: a money cube's height is nothing but a unit") {
  CubeState high;
  high.value = 64;
  CHECK(per_unit(high).value == 1);
  high.value = kMaxCube;
  CHECK(per_unit(high) == high);
  high.value = 8;
  high.max_value = 16;
  CHECK(per_unit(high) == high);
  CHECK(per_unit(short_match()) == short_match());
}

TEST_CASE("static cache: what it finds is what was stored for that board, within its bound") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{191}, std::size_t{192}, std::size_t{20000}}) {
    StaticCache cache(bytes);
    std::size_t found = 0;
    std::mt19937 random(11);
    for (int i = 0; i < 500; ++i) {
      const Board board = botd::testing::random_board(random);
      const std::size_t hash = hash_value(board);
      CHECK((cache.find(board, hash) == nullptr || cache.find(board, hash)->win == board[1] / 16.0F));
      cache.store(board, hash, {board[1] / 16.0F, 0, 0, 0, 0});
      cache.prefetch(hash);
      if (const Probabilities* p = cache.find(board, hash)) {
        ++found;
        CHECK(p->win == board[1] / 16.0F);
      }
    }
    CHECK(cache.bytes() <= bytes);
    CHECK(cache.remembers() == (bytes >= 192));
    CHECK(found == (cache.remembers() ? 500 : 0));
  }
}

TEST_CASE("static cache: forgets everything, as often as it is told to") {
  StaticCache cache(1000);
  const Board board = starting_board();
  const std::size_t hash = hash_value(board);
  for (int i = 0; i < 70000; ++i) {
    if (i % 1000 == 0) cache.store(board, hash, {});
    cache.clear();
    CHECK_MESSAGE(cache.find(board, hash) == nullptr, i);
  }
}

}  // namespace
}  // namespace botd::fast
