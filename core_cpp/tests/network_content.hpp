// Network files of our own format, with random weights.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "common/sha256.hpp"

namespace botd::testing {

// The content with a fitting sum behind it.
inline std::string with_sum(std::string content) {
  const Sha256Digest digest = sha256({reinterpret_cast<const std::uint8_t*>(content.data()), content.size()});
  content.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  return content;
}

// What stands before the numbers.
inline std::string network_start(std::string header) {
  while ((12 + header.size()) % 64 != 0) header += ' ';
  const auto length = static_cast<std::uint32_t>(header.size());
  std::string content = "botdnet1";
  content.append(reinterpret_cast<const char*>(&length), sizeof length);
  return content + header;
}

inline std::string network_header(const std::string& kind, const std::string& encoding, std::size_t inputs,
                                  const std::vector<std::size_t>& layers, const std::string& output_activation) {
  std::string sizes;
  for (const std::size_t count : layers) sizes += (sizes.empty() ? "" : ", ") + std::to_string(count);
  return R"({"kind": ")" + kind + R"(", "encoding": ")" + encoding + R"(", "inputs": )" + std::to_string(inputs) +
         R"(, "layers": [)" + sizes + R"(], "hidden_activation": "relu", "output_activation": ")" + output_activation +
         R"(", "source": "a \"test\" \u00e9", "licence": "MIT"})";
}

// Weights are uniform in +-spread / sqrt(inputs of the layer), biases in +-0.5.
inline std::string network_content(std::mt19937& random, const std::string& kind, const std::string& encoding,
                                   std::size_t inputs, const std::vector<std::size_t>& layers,
                                   const std::string& output_activation, float spread = 1.7F) {
  std::string content = network_start(network_header(kind, encoding, inputs, layers, output_activation));
  std::uniform_real_distribution<float> unit(-1.0F, 1.0F);
  const auto add = [&](float value) { content.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const std::size_t outputs : layers) {
    const float scale = spread / std::sqrt(static_cast<float>(inputs));
    for (std::size_t i = 0; i < outputs * inputs; ++i) add(scale * unit(random));
    for (std::size_t i = 0; i < outputs; ++i) add(0.5F * unit(random));
    inputs = outputs;
  }
  return with_sum(content);
}

}  // namespace botd::testing
