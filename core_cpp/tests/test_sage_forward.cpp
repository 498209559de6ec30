#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "common/aligned_floats.hpp"
#include "sage/evaluator.hpp"
#include "sage/forward.hpp"
#include "sage/network.hpp"
#include "sage/sigmoid.hpp"

using namespace botd;
using namespace botd::sage;

namespace {

// A network whose every hidden unit sees input 0 alone, and whose output k is the sum of chosen units.
struct SmallNetwork {
  static constexpr int kHidden = 100;
  static constexpr int kStride = 160;
  FloatBuffer memory{allocate_floats(kStride * (1 + 1 + kOutputs) + kOutputs)};
  NetworkLayout layout{memory.get(),
                       memory.get() + kStride,
                       memory.get() + 2 * kStride,
                       memory.get() + (2 + kOutputs) * kStride,
                       kStride,
                       kHidden};
  float& column(int unit) { return memory.get()[unit]; }
  float& output(int k, int unit) { return memory.get()[(2 + k) * kStride + unit]; }
};

double logistic(double y) { return 1.0 / (1.0 + std::exp(-y)); }

}  // namespace

TEST_CASE("the table sigmoid interpolates and is cut off at 8") {
  CHECK(table_sigmoid(0.0F) == 0.5F);
  CHECK(table_sigmoid(8.0F) == 1.0F);
  CHECK(table_sigmoid(-8.0F) == 0.0F);
  CHECK(table_sigmoid(1e30F) == 1.0F);
  CHECK(table_sigmoid(-1e30F) == 0.0F);
  CHECK(table_sigmoid(std::numeric_limits<float>::quiet_NaN()) == 0.0F);
  CHECK(table_sigmoid(std::nextafter(8.0F, 0.0F)) == doctest::Approx(logistic(8.0)).epsilon(1e-6));
  CHECK(table_sigmoid(std::nextafter(-8.0F, 0.0F)) == doctest::Approx(3.3535e-4).epsilon(1e-3));
  for (float y = -7.99F; y < 7.99F; y += 0.0137F) CHECK(std::fabs(table_sigmoid(y) - logistic(y)) < 3e-7);
}

TEST_CASE("hidden units use the full sigmoid in groups of eight and the table for the rest, on every path") {
  for (const CpuPath path : available_cpu_paths()) {
    CAPTURE(name(path));
    const ForwardKernels kernels = forward_kernels(path);
    for (const int unit : {0, 7, 79, 80, 95, 96, 99}) {
      CAPTURE(unit);
      SmallNetwork network;
      network.column(unit) = 1.0F;
      network.output(3, unit) = 1.0F;
      for (const float z : {-200.0F, -80.0F, -9.0F, -8.0F, -3.3F, 0.0F, 0.7F, 5.0F, 7.9F, 8.0F, 8.5F, 50.0F, 200.0F}) {
        const InputChange change{0, z};
        std::array<float, kOutputs> sums{};
        const Row row{network.layout.hidden_bias, &change, 1};
        kernels.outputs(network.layout, &row, 1, sums.data());
        const double expected = unit < 96 ? logistic(z) : static_cast<double>(table_sigmoid(z));
        CHECK(std::fabs(sums[3] - expected) < 2e-7);
        if (unit >= 96) CHECK(sums[3] == table_sigmoid(z));
        CHECK(sums[0] == 0.0F);
      }
    }
  }
}

TEST_CASE("a first layer is the same in one go and in two") {
  std::mt19937 random(3);
  SmallNetwork network;
  std::normal_distribution<float> normal;
  for (int unit = 0; unit < SmallNetwork::kHidden; ++unit) network.column(unit) = normal(random);
  for (const CpuPath path : available_cpu_paths()) {
    const ForwardKernels kernels = forward_kernels(path);
    const FloatBuffer z(allocate_floats(SmallNetwork::kStride));
    const std::array<InputChange, 2> changes = {{{0, 1.0F}, {0, -0.25F}}};
    kernels.accumulate(network.layout, {network.layout.hidden_bias, changes.data(), 2}, z.get());
    for (int unit = 0; unit < SmallNetwork::kHidden; ++unit)
      CHECK(z.get()[unit] == doctest::Approx(0.75F * network.column(unit)));
  }
}

TEST_CASE("what a row gives does not depend on the rows beside it, to the last bit") {
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  SmallNetwork network;
  for (int unit = 0; unit < SmallNetwork::kHidden; ++unit) {
    network.column(unit) = normal(random);
    for (int k = 0; k < kOutputs; ++k) network.output(k, unit) = normal(random);
  }
  std::array<InputChange, kMostRows> changes{};
  std::array<Row, kMostRows> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    changes[i] = {0, normal(random)};
    rows[i] = {network.layout.hidden_bias, &changes[i], i % 3 == 0 ? 0 : 1};
  }
  for (const CpuPath path : available_cpu_paths()) {
    CAPTURE(name(path));
    const ForwardKernels kernels = forward_kernels(path);
    for (const int count : {1, 2, 7, kMostRows}) {
      std::array<float, kMostRows * kOutputs> together{};
      kernels.outputs(network.layout, rows.data(), count, together.data());
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        std::array<float, kOutputs> alone{};
        kernels.outputs(network.layout, &rows[i], 1, alone.data());
        for (std::size_t k = 0; k < kOutputs; ++k) CHECK(alone[k] == together[i * kOutputs + k]);
      }
    }
  }
}

TEST_CASE("changed inputs are found in order, on every path") {
  std::mt19937 random(5);
  for (int n = 0; n < 500; ++n) {
    const int count = static_cast<int>(random() % 60);
    std::vector<float> base(static_cast<std::size_t>(count));
    for (float& value : base) value = static_cast<float>(random() % 3);
    std::vector<float> values = base;
    for (float& value : values) value += static_cast<float>(random() % 4 / 3);
    for (const CpuPath path : available_cpu_paths()) {
      CAPTURE(name(path));
      std::vector<InputChange> changes(static_cast<std::size_t>(count + kChangesAtOnce));
      const int found = forward_kernels(path).changes(values.data(), base.data(), count, 100, changes.data());
      int expected = 0;
      for (std::size_t i = 0; i < base.size(); ++i) {
        if (values[i] == base[i]) continue;
        REQUIRE(expected < found);
        REQUIRE(changes[static_cast<std::size_t>(expected)].input == 100 + static_cast<int>(i));
        REQUIRE(changes[static_cast<std::size_t>(expected)].delta == 1.0F);
        ++expected;
      }
      REQUIRE(found == expected);
    }
  }
}

TEST_CASE("CPU paths have names") {
  for (const CpuPath path : {CpuPath::plain, CpuPath::avx2, CpuPath::avx512}) CHECK(cpu_path_from_name(name(path)) == path);
  CHECK_THROWS_AS((void)cpu_path_from_name("mmx"), std::invalid_argument);
}

TEST_CASE("impossible outcomes are set to zero") {
  const Probabilities p{0.5F, 0.2F, 0.1F, 0.2F, 0.1F};
  CHECK(clamped(p, starting_board()) == p);
  Board off = starting_board();
  off.at(6) = 4;
  CHECK(clamped(p, off) == Probabilities{0.5F, 0.2F, 0.1F, 0.0F, 0.0F});
  CHECK(clamped(p, mirrored(off)) == Probabilities{0.5F, 0.0F, 0.0F, 0.2F, 0.1F});
  Board race;
  race.at(5) = 15;
  race.at(20) = -15;
  CHECK(clamped(p, race) == Probabilities{0.5F, 0.2F, 0.0F, 0.2F, 0.0F});
}

TEST_CASE("nesting lowers what is more than it can be") {
  const Probabilities p{0.3F, 0.4F, 0.5F, 0.8F, 0.9F};
  const Probabilities n = nested(p);
  CHECK(n == Probabilities{0.3F, 0.3F, 0.3F, 1.0F - 0.3F, 1.0F - 0.3F});
  CHECK(nested(n) == n);
}

TEST_CASE("the linear evaluator") {
  Board won;
  won.at(24) = -3;
  CHECK(pubeval(won, true) == 1.0);
  won.at(24) = -15;
  CHECK(pubeval(won, true) == 2.0);
  CHECK(pubeval(mirrored(won), true) == -2.0);
  // Fourteen own checkers off, one on the ace point; two opposing checkers on their ace point (own 24), one
  // on own 23: only the own blot, the opposing blot and the checkers off count.
  Board board;
  board.at(1) = 1;
  board.at(24) = -2;
  board.at(23) = -1;
  CHECK(pubeval(board, true) == doctest::Approx(-2.77982 + 3.42040 * 14 / 15));
  CHECK(pubeval(board, false) == doctest::Approx(-1.59529 - 0.16092 - 2.758 * 14 / 15));
}
