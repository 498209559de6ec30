#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>

#include "gnubg/forward.hpp"
#include "gnubg/network.hpp"
#include "gnubg/sigmoid.hpp"

using namespace botd;
using namespace botd::gnubg;

namespace {

NetworkWeights random_weights(const NetworkShape& shape, std::mt19937& random) {
  std::normal_distribution<float> normal(0.0F, 2.0F);
  NetworkWeights weights;
  const auto fill = [&](std::vector<float>& numbers, int count) {
    numbers.resize(static_cast<std::size_t>(count));
    for (float& number : numbers) number = normal(random);
  };
  fill(weights.hidden, shape.inputs * shape.hidden);
  fill(weights.output, kOutputs * shape.hidden);
  fill(weights.hidden_threshold, shape.hidden);
  fill(weights.output_threshold, kOutputs);
  return weights;
}

// Section 4 word for word, in double precision.
double plain_sigmoid(double z) {
  const double a = std::min(std::fabs(z), 10.0) * 10.0;
  const int n = static_cast<int>(std::floor(a));
  const double e = std::exp(std::min(n, 99) / 10.0) / 10.0;
  const double s = 1.0 / (1.0 + e * (10.0 + a - n));
  return z < 0 ? s : 1.0 - s;
}

}  // namespace

TEST_CASE("gnubg's sigmoid") {
  CHECK(sigmoid(0.0F) == 0.5F);
  CHECK(sigmoid(-10.0F) == doctest::Approx(5.01722e-5));
  CHECK(sigmoid(-10.0F) == doctest::Approx(1.0 / 19931.3704));
  CHECK(sigmoid(-1e30F) == sigmoid(-10.0F));
  CHECK(sigmoid(1e30F) == 1.0F - sigmoid(-10.0F));
  // It jumps at a knot, by what the first-order expansion leaves out.
  CHECK(std::fabs(sigmoid(0.0999999F) - sigmoid(0.1000001F)) == doctest::Approx(1.17e-3).epsilon(0.01));
  for (float z = -10.5F; z < 10.5F; z += 0.00313F) CHECK(std::fabs(sigmoid(z) - plain_sigmoid(z)) < 2e-7);
  for (int n = 0; n < 100; ++n)
    CHECK(kSigmoidTable[static_cast<std::size_t>(n)] == static_cast<float>(std::exp(n / 10.0) / 10.0));
}

TEST_CASE("a network computes what its definition says, with the same bits on every path") {
  std::mt19937 random(1);
  for (const NetworkShape& shape : kNetworkShapes) {
    CAPTURE(shape.name);
    const NetworkWeights weights = random_weights(shape, random);
    for (const HiddenDivision division : {HiddenDivision::kExact, HiddenDivision::kReciprocal}) {
#ifndef BOTD_X86
      if (division == HiddenDivision::kReciprocal) continue;
#endif
      for (int n = 0; n < 50; ++n) {
        ActiveInputs inputs;
        std::vector<double> hidden(weights.hidden_threshold.begin(), weights.hidden_threshold.end());
        for (int i = 0; i < shape.inputs; ++i) {
          if (random() % 4 != 0) continue;
          const float value = static_cast<float>(random() % 9) * 0.25F;
          inputs.add(i, value);
          for (std::size_t j = 0; j < hidden.size(); ++j)
            hidden[j] += static_cast<double>(value) *
                         static_cast<double>(weights.hidden[static_cast<std::size_t>(i) * hidden.size() + j]);
        }
        std::vector<Probabilities> results;
        for (const CpuPath path : available_cpu_paths())
          results.push_back(Network(shape, weights, forward_function(path, division)).outputs(inputs));
        for (const Probabilities& result : results) REQUIRE(result == results.front());
        double z = weights.output_threshold[0];
        for (std::size_t j = 0; j < hidden.size(); ++j)
          z += static_cast<double>(weights.output[j]) * plain_sigmoid(0.1 * hidden[j]);
        // Within what a hidden unit or the output near a knot may jump.
        REQUIRE(std::fabs(results.front().win - plain_sigmoid(z)) < 4e-3);
      }
    }
  }
}

#ifndef BOTD_X86
TEST_CASE("the reciprocal needs an x86 processor") {
  CHECK_THROWS_AS((void)forward_function(CpuPath::plain, HiddenDivision::kReciprocal), std::invalid_argument);
}
#endif
