#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "fast/prune_inputs.hpp"
#include "fast/prune_net.hpp"
#include "random_boards.hpp"
#include "rules/errors.hpp"
#include "rules/moves.hpp"

using namespace botd;
using namespace botd::fast;
using botd::testing::random_board;

namespace {

nets::NetworkFile random_network(std::mt19937& random, std::size_t hidden, float size = 0.3F) {
  std::normal_distribution<float> normal(0.0F, size);
  const auto numbers = [&](std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = normal(random);
    return values;
  };
  nets::NetworkFile network;
  network.kind = nets::NetworkKind::kRoughEquity;
  network.encoding = kPruneEncoding;
  network.layers.push_back({kPruneInputs, hidden, numbers(hidden * kPruneInputs), numbers(hidden)});
  network.layers.push_back({hidden, 1, numbers(hidden), numbers(1)});
  return network;
}

// In double precision, from the definition.
double plain_value(const nets::NetworkFile& network, const Board& board) {
  std::vector<float> inputs(kPruneInputs);
  prune_inputs(board, inputs.data());
  double value = network.layers[1].biases[0];
  for (std::size_t j = 0; j < network.layers[0].outputs; ++j) {
    double z = network.layers[0].biases[j];
    for (std::size_t i = 0; i < kPruneInputs; ++i)
      z += static_cast<double>(network.layers[0].weights[j * kPruneInputs + i]) * static_cast<double>(inputs[i]);
    value += std::max(0.0, z) * static_cast<double>(network.layers[1].weights[j]);
  }
  return value;
}

// Random positions with all the plays of one roll each.
struct Siblings {
  Board unmoved;
  std::vector<Board> boards;
};

std::vector<Siblings> random_siblings(std::mt19937& random, int count) {
  std::vector<Siblings> sets;
  BoardList plays;
  while (count > 0) {
    const Board board = random_board(random);
    if (board_error(board) != nullptr || game_result(board) != 0) continue;
    const Roll& roll = kRolls[random() % kRolls.size()];
    legal_boards(board, roll.die1, roll.die2, plays);
    if (plays.empty()) continue;
    sets.push_back({board, {plays.begin(), plays.end()}});
    --count;
  }
  return sets;
}

std::vector<float> values_of(const PruneNet& net, const Siblings& set, PruneNet::Workspace& workspace) {
  std::vector<float> values(set.boards.size());
  net.evaluate(set.boards, set.unmoved, values, workspace);
  return values;
}

}  // namespace

TEST_CASE("inputs of the rough network") {
  Board board = starting_board();
  board.at(6) = 7;
  board.at(8) = 0;
  board.at(13) = 3;
  board.at(kOwnBar) = 3;
  board.at(12) = -4;
  board.at(kOpponentBar) = 1;
  std::vector<float> inputs(kPruneInputs);
  prune_inputs(board, inputs.data());
  const auto at = [&](std::size_t first, std::size_t count) {
    return std::vector<float>(inputs.begin() + static_cast<std::ptrdiff_t>(first),
                              inputs.begin() + static_cast<std::ptrdiff_t>(first + count));
  };
  CHECK(at(kPruneOwnPoints + 5 * kPrunePointInputs, kPrunePointInputs) == std::vector<float>{1, 1, 1, 1, 1, 1});
  CHECK(at(kPruneOwnPoints + 23 * kPrunePointInputs, kPrunePointInputs) == std::vector<float>{1, 1, 0, 0, 0, 0});
  CHECK(at(kPruneOpponentPoints + 11 * kPrunePointInputs, kPrunePointInputs) == std::vector<float>{1, 1, 1, 1, 0, 0});
  CHECK(at(kPruneOwnBar, kPruneBarInputs) == std::vector<float>{1, 1, 0.5F});
  CHECK(at(kPruneOpponentBar, kPruneBarInputs) == std::vector<float>{1, 0, 0});
  CHECK(at(kPruneOwnOff, kPruneOffInputs) == std::vector<float>{0, 0});
  CHECK(kPruneInputs == 318);
  Board none;
  none.at(1) = 5;
  none.at(24) = -15;
  prune_inputs(none, inputs.data());
  CHECK(at(kPruneOwnOff, kPruneOffInputs) == std::vector<float>{1, 2});
  CHECK(at(kPruneOpponentOff, kPruneOffInputs) == std::vector<float>{0, 0});
}

TEST_CASE("rough values are those of the network, on every path the same") {
  std::mt19937 random(5);
  for (const std::size_t hidden : {1U, 5U, 32U, 64U, 70U, 128U, 160U}) {
    CAPTURE(hidden);
    const nets::NetworkFile network = random_network(random, hidden);
    const std::vector<Siblings> sets = random_siblings(random, 60);
    std::vector<std::vector<float>> expected;
    for (const CpuPath path : available_cpu_paths()) {
      CAPTURE(name(path));
      const PruneNet net(network, "random", path);
      CHECK(net.hidden() == hidden);
      CHECK(net.cpu_path() == path);
      PruneNet::Workspace workspace;
      for (std::size_t s = 0; s < sets.size(); ++s) {
        const std::vector<float> values = values_of(net, sets[s], workspace);
        if (path == CpuPath::plain) {
          expected.push_back(values);
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (game_result(sets[s].boards[i]) != 0) continue;
            const double exact = plain_value(network, sets[s].boards[i]);
            // Sixteen bits: a hidden unit is off by some of its 1/32,751 steps, an output weight by half of one of
            // about 65,535 divided by the number of units.
            CHECK(std::fabs(static_cast<double>(values[i]) - exact) < 0.002 * static_cast<double>(hidden));
          }
        } else {
          CHECK(values == expected[s]);
        }
      }
    }
  }
}

TEST_CASE("a rough value does not depend on the board that it was computed from") {
  std::mt19937 random(6);
  const nets::NetworkFile network = random_network(random, 48);
  for (const CpuPath path : available_cpu_paths()) {
    const PruneNet net(network, "random", path);
    PruneNet::Workspace workspace;
    for (const Siblings& set : random_siblings(random, 100)) {
      const std::vector<float> values = values_of(net, set, workspace);
      for (std::size_t i = 0; i < set.boards.size(); ++i) {
        PruneNet::Workspace fresh;
        float alone = 0.0F;
        net.evaluate({&set.boards[i], 1}, set.boards[i], {&alone, 1}, fresh);
        CHECK(values[i] == alone);
      }
    }
  }
}

TEST_CASE("a workspace may pass from one rough network to another") {
  std::mt19937 random(7);
  const std::vector<Siblings> sets = random_siblings(random, 2);
  PruneNet::Workspace workspace;
  for (const std::size_t hidden : {64U, 16U, 128U}) {
    const PruneNet net(random_network(random, hidden), "random", best_cpu_path());
    for (const Siblings& set : sets) {
      PruneNet::Workspace fresh;
      CHECK(values_of(net, set, workspace) == values_of(net, set, fresh));
    }
  }
}

TEST_CASE("finished games are worth what they are") {
  std::mt19937 random(8);
  const PruneNet net(random_network(random, 32), "random", best_cpu_path());
  PruneNet::Workspace workspace;
  Board unmoved;
  unmoved.at(1) = 1;
  for (const auto& [place, checkers, worth] : {std::tuple{24, -14, 1}, {24, -15, 2}, {3, -15, 3}}) {
    unmoved.points[2] = unmoved.points[3] = unmoved.points[24] = 0;
    unmoved.at(static_cast<std::size_t>(place)) = static_cast<std::int8_t>(checkers);
    Board over = unmoved;
    over.at(1) = 0;
    float value = 0.0F;
    net.evaluate({&over, 1}, unmoved, {&value, 1}, workspace);
    CHECK(value == static_cast<float>(worth));
  }
}

TEST_CASE("any finite weights are good for a rough network") {
  std::mt19937 random(9);
  const std::vector<Siblings> sets = random_siblings(random, 20);
  std::vector<nets::NetworkFile> networks;
  for (const float size : {0.0F, 1e-30F, 1e-6F, 1e5F}) networks.push_back(random_network(random, 40, size));
  // Fifteen checkers cancel what is off, so that single numbers are far larger than any sum.
  nets::NetworkFile cancelling = random_network(random, 1, 0.0F);
  for (std::size_t point = 0; point < 48; ++point)
    for (std::size_t k = 0; k < kPrunePointInputs; ++k)
      cancelling.layers[0].weights[point * kPrunePointInputs + k] = k + 1 < kPrunePointInputs ? 1e5F : 2e5F;
  networks.push_back(cancelling);
  for (const nets::NetworkFile& network : networks) {
    std::vector<std::vector<float>> expected;
    for (const CpuPath path : available_cpu_paths()) {
      const PruneNet net(network, "random", path);
      PruneNet::Workspace workspace;
      for (std::size_t s = 0; s < sets.size(); ++s) {
        const std::vector<float> values = values_of(net, sets[s], workspace);
        for (const float value : values) CHECK(std::isfinite(value));
        if (path == CpuPath::plain) expected.push_back(values);
        CHECK(values == expected[s]);
      }
    }
  }
}

TEST_CASE("a network of another kind or shape is no rough network") {
  std::mt19937 random(10);
  const nets::NetworkFile good = random_network(random, 8);
  const auto refused = [](const nets::NetworkFile& network, const char* error) {
    CHECK_THROWS_WITH_AS(PruneNet(network, "file", CpuPath::plain), doctest::Contains(error), DataError);
  };
  nets::NetworkFile network = good;
  network.kind = nets::NetworkKind::kCubelessEquity;
  refused(network, "file: the kind is cubeless_equity, expected rough_equity");
  network = good;
  network.encoding = "perspective196";
  refused(network, "file: the encoding is perspective196, expected rough318");
  network = good;
  network.layers.pop_back();
  refused(network, "file: 1 layers, expected 2");
  network = good;
  network.layers[0].inputs = 317;
  refused(network, "file: 317 inputs, expected 318");
  network = good;
  network.layers[0].outputs = 1025;
  refused(network, "file: 1025 hidden units, expected 1 to 1024");
  CHECK_THROWS_WITH_AS((void)PruneNet::load("/nonexistent/rough"), doctest::Contains("/nonexistent/rough"), DataError);
  float value = 0.0F;
  PruneNet::Workspace workspace;
  const PruneNet net(good, "random", CpuPath::plain);
  CHECK_THROWS_AS(net.evaluate({}, starting_board(), {&value, 1}, workspace), std::invalid_argument);
}

TEST_CASE("features of the rough network, counted by hand") {
  const auto value = [](const Board& board, PruneFeature feature) {
    const auto f = static_cast<std::size_t>(feature);
    return prune_features(board)[f] - static_cast<int>(kPruneFeatureStart[f]);
  };
  Board board;  // one opposing checker on our 2 point, a blot on 8, six away
  board.at(2) = -1;
  board.at(8) = 1;
  board.at(20) = 2;
  board.at(24) = -2;
  CHECK(value(board, PruneFeature::kOwnOff) == 12);
  CHECK(value(board, PruneFeature::kHits) == 17);  // any 6, 5-1, 4-2, 3-3, 2-2
  CHECK(value(board, PruneFeature::kPipsHit) == 17 * 17 / 16);
  CHECK(value(board, PruneFeature::kOpponentEscapes) == 36);
  board.at(4) = 2;
  CHECK(value(board, PruneFeature::kHits) == 16);  // not by 2-2; 4-2 by way of the 6 point
  board.at(6) = 2;
  CHECK(value(board, PruneFeature::kHits) == 14);  // no 4-2
  board.at(kOpponentBar) = 1;
  CHECK(value(board, PruneFeature::kHits) == 4);  // from the bar only: 5-3, and 6-2 by way of 2; no double gets there
  board.at(12) = 1;
  board.at(7) = -1;
  board.at(kOpponentBar) = 0;
  Board far;
  far.at(6) = 1;
  far.at(20) = -1;
  CHECK(value(far, PruneFeature::kHits) == 0);
  CHECK(value(far, PruneFeature::kPipsHit) == 0);
  CHECK(value(far, PruneFeature::kEscapes) == 36);
  Board prime;
  for (const std::size_t point : {12U, 13U, 14U, 15U, 16U, 17U}) prime.at(point) = -2;
  prime.at(18) = 1;
  CHECK(value(prime, PruneFeature::kEscapes) == 0);
  CHECK(value(mirrored(prime), PruneFeature::kOpponentEscapes) == 0);
  prime.at(12) = 0;
  prime.at(11) = -2;
  CHECK(value(prime, PruneFeature::kEscapes) == 9);  // any 6 but with 1, which leads to 11
}

TEST_CASE("hits are the same on every path") {
  std::mt19937 random(11);
  for (int i = 0; i < 20000; ++i) {
    const Board board = random_board(random);
    std::uint32_t movers = 0;
    std::uint32_t blots = 0;
    std::uint32_t made = 0;
    for (std::size_t p = 1; p <= kPoints; ++p) {
      if (board[p] < 0) movers |= 1U << p;
      if (board[p] == 1) blots |= 1U << p;
      if (board[p] > 1) made |= 1U << p;
    }
    if (board[kOpponentBar] > 0) movers = 1U;
    const PruneHits expected = prune_hits_plain(movers, blots, made);
    CHECK(expected.rolls <= 36);
    CHECK(expected.pips <= 24 * expected.rolls);
    for (const CpuPath path : available_cpu_paths()) {
      const PruneHits hits = prune_hits_function(path)(movers, blots, made);
      CHECK(hits.rolls == expected.rolls);
      CHECK(hits.pips == expected.pips);
    }
  }
}
