#include "gnubg/network.hpp"

#include <algorithm>
#include <array>

#include "gnubg/sigmoid.hpp"

namespace botd::gnubg {

Network::Network(const NetworkShape& shape, const NetworkWeights& weights, ForwardFunction forward)
    : forward_(forward) {
  const auto inputs = static_cast<std::size_t>(shape.inputs);
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  const std::size_t stride = (hidden + kLanes - 1) / kLanes * kLanes;
  const std::size_t threshold = inputs * stride;
  const std::size_t output = threshold + stride;
  const std::size_t output_threshold = output + kOutputs * stride;
  memory_.reset(allocate_floats(output_threshold + kOutputs));
  float* const memory = memory_.get();
  for (std::size_t i = 0; i < inputs; ++i)
    std::copy_n(weights.hidden.data() + i * hidden, hidden, memory + i * stride);
  std::copy_n(weights.hidden_threshold.data(), hidden, memory + threshold);
  for (std::size_t k = 0; k < kOutputs; ++k)
    std::copy_n(weights.output.data() + k * hidden, hidden, memory + output + k * stride);
  std::copy_n(weights.output_threshold.data(), kOutputs, memory + output_threshold);
  layout_ = {memory, memory + threshold, memory + output, memory + output_threshold, static_cast<int>(stride)};
}

Probabilities Network::outputs(const ActiveInputs& inputs) const {
  std::array<float, kOutputs> z{};
  forward_(layout_, inputs.begin(), inputs.count(), z.data());
  const auto output = [&](std::size_t k) { return sigmoid(kOutputBeta * z[k]); };
  return {output(0), output(1), output(2), output(3), output(4)};
}

}  // namespace botd::gnubg
