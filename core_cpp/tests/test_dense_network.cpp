#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "common/aligned_vector.hpp"
#include "nets/dense_network.hpp"
#include "network_content.hpp"
#include "rules/errors.hpp"

using namespace botd;
using namespace botd::nets;

namespace {

struct Shape {
  std::string kind;
  std::size_t inputs;
  std::vector<std::size_t> layers;
  float spread = 1.7F;
};

// From networks of the sizes in use down to those of one unit, and some with weights of very different sizes.
const std::vector<Shape> kShapes = {
    {"cubeful_equity", 200, {512, 512, 256, 256, 1}}, {"probabilities5", 196, {300, 70, 5}}, {"win", 7, {1}},
    {"probabilities5", 3, {5}},                       {"rough_equity", 1, {1, 1}},          {"win", 65, {129, 1, 63, 1}},
    {"cubeless_equity", 196, {64, 1}, 200.0F},        {"cubeless_equity", 20, {30, 1}, 1e-6F}};

NetworkFile make_network(std::mt19937& random, const Shape& shape) {
  const bool logistic = shape.kind == "win" || shape.kind == "probabilities5";
  return parse_network(testing::network_content(random, shape.kind, "test", shape.inputs, shape.layers,
                                                logistic ? "logistic" : "linear", shape.spread),
                       "file");
}

AlignedVector<std::int16_t> make_inputs(std::mt19937& random, std::size_t inputs, std::size_t stride, std::size_t boards) {
  AlignedVector<std::int16_t> values(boards * stride, 0);
  for (std::size_t b = 0; b < boards; ++b)
    for (std::size_t i = 0; i < inputs; ++i)
      if (random() % 5 == 0) values[b * stride + i] = static_cast<std::int16_t>(random() % 181);
  return values;
}

// The definition, in double precision; `sizes` is what the outputs' errors are measured by.
std::vector<double> naive(const NetworkFile& file, const std::int16_t* inputs, bool logistic) {
  std::vector<double> units;
  for (std::size_t i = 0; i < file.inputs(); ++i) units.push_back(inputs[i] / 30.0);
  for (std::size_t l = 0; l < file.layers.size(); ++l) {
    const DenseLayer& layer = file.layers[l];
    std::vector<double> next;
    for (std::size_t j = 0; j < layer.outputs; ++j) {
      double sum = layer.biases[j];
      for (std::size_t i = 0; i < layer.inputs; ++i) sum += static_cast<double>(layer.weights[j * layer.inputs + i]) * units[i];
      const bool last = l + 1 == file.layers.size();
      next.push_back(!last ? std::max(sum, 0.0) : logistic ? 1.0 / (1.0 + std::exp(-sum)) : sum);
    }
    units = next;
  }
  return units;
}

}  // namespace

TEST_CASE("every kernel computes the network") {
  std::mt19937 random(1);
  for (const Shape& shape : kShapes) {
    const NetworkFile file = make_network(random, shape);
    const bool logistic = has_logistic_output(file.kind);
    for (const DenseKernels* kernels : available_dense_kernels()) {
      for (const Arithmetic arithmetic : {Arithmetic::kFloat, Arithmetic::kInt16}) {
        CAPTURE(shape.kind);
        CAPTURE(kernels->name);
        CAPTURE(arithmetic == Arithmetic::kInt16);
        const DenseNetwork network(file, arithmetic, *kernels);
        DenseNetwork::Scratch scratch;
        constexpr std::size_t kBoards = 67;
        const auto inputs = make_inputs(random, shape.inputs, network.input_stride(), kBoards);
        std::vector<float> outputs(kBoards * network.outputs());
        network.evaluate(inputs, outputs, scratch);
        double largest = 1.0;
        for (const float value : outputs) largest = std::max(largest, std::fabs(static_cast<double>(value)));
        const double tolerance = largest * (arithmetic == Arithmetic::kFloat ? 2e-6 : 1e-3);
        for (std::size_t b = 0; b < kBoards; ++b) {
          const std::vector<double> expected = naive(file, inputs.data() + b * network.input_stride(), logistic);
          for (std::size_t k = 0; k < expected.size(); ++k)
            CHECK(std::fabs(static_cast<double>(outputs[b * expected.size() + k]) - expected[k]) <= tolerance);
        }
      }
    }
  }
}

TEST_CASE("16-bit arithmetic gives the same bits on every path") {
  std::mt19937 random(2);
  for (const Shape& shape : kShapes) {
    const NetworkFile file = make_network(random, shape);
    std::vector<std::vector<float>> found;
    AlignedVector<std::int16_t> inputs;
    for (const DenseKernels* kernels : available_dense_kernels()) {
      const DenseNetwork network(file, Arithmetic::kInt16, *kernels);
      if (inputs.empty()) inputs = make_inputs(random, shape.inputs, network.input_stride(), 50);
      DenseNetwork::Scratch scratch;
      found.emplace_back(50 * network.outputs());
      network.evaluate(inputs, found.back(), scratch);
    }
    for (const std::vector<float>& outputs : found) CHECK(outputs == found.front());
  }
}

TEST_CASE("a board's outputs do not depend on the batch, nor on what was computed before") {
  std::mt19937 random(3);
  DenseNetwork::Scratch scratch;  // one for all networks
  for (const Shape& shape : kShapes) {
    const NetworkFile file = make_network(random, shape);
    for (const DenseKernels* kernels : available_dense_kernels()) {
      for (const Arithmetic arithmetic : {Arithmetic::kFloat, Arithmetic::kInt16}) {
        const DenseNetwork network(file, arithmetic, *kernels);
        const std::size_t stride = network.input_stride();
        const auto inputs = make_inputs(random, shape.inputs, stride, 130);
        std::vector<float> together(130 * network.outputs());
        network.evaluate(inputs, together, scratch);
        std::vector<float> apart(together.size());
        for (std::size_t first = 0; first < 130;) {
          const std::size_t count = std::min<std::size_t>(130 - first, 1 + random() % 9);
          network.evaluate(std::span(inputs).subspan(first * stride, count * stride),
                           std::span(apart).subspan(first * network.outputs(), count * network.outputs()), scratch);
          first += count;
        }
        CHECK(apart == together);
      }
    }
  }
}

TEST_CASE("16-bit sums cannot overflow, however large weights and inputs are") {
  std::mt19937 random(4);
  for (const float weight : {1e6F, -1e6F, 1e-30F, 0.0F}) {
    NetworkFile file = make_network(random, {"cubeless_equity", 1024, {64, 64, 1}});
    // All weights alike: the sums are as large as the norms allow.
    for (DenseLayer& layer : file.layers)
      for (float& value : layer.weights) value = weight;
    for (const DenseKernels* kernels : available_dense_kernels()) {
      const DenseNetwork network(file, Arithmetic::kInt16, *kernels);
      const AlignedVector<std::int16_t> inputs(network.input_stride(), 1000);
      DenseNetwork::Scratch scratch;
      std::vector<float> output(1);
      network.evaluate(inputs, output, scratch);
      const double expected = naive(file, inputs.data(), false).front();
      CHECK(static_cast<double>(output[0]) == doctest::Approx(expected).epsilon(1e-3));
    }
  }
}

TEST_CASE("networks of more inputs than any board has") {
  std::mt19937 random(5);
  const NetworkFile file = make_network(random, {"win", 1025, {1}});
  CHECK_THROWS_WITH_AS(DenseNetwork(file, Arithmetic::kFloat, kDensePlain), doctest::Contains("expected at most 1024"),
                       DataError);
}
