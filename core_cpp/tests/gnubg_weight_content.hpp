// Weight files as gnubg has them, with random weights.
#pragma once

#include <cstdio>
#include <random>
#include <string>

#include "gnubg/weight_formats.hpp"

namespace botd::testing {

inline std::string text_weights(std::mt19937& random) {
  std::string text = "GNU Backgammon 1.01\n";
  for (const gnubg::NetworkShape& shape : gnubg::kNetworkShapes) {
    text += std::to_string(shape.inputs) + " " + std::to_string(shape.hidden) + " 5 0 0.1000000 1.0000000\n";
    const int numbers = shape.inputs * shape.hidden + gnubg::kOutputs * shape.hidden + shape.hidden + gnubg::kOutputs;
    for (int i = 0; i < numbers; ++i) {
      char line[16];
      const int length =
          std::snprintf(line, sizeof line, "%d.%07u\n", static_cast<int>(random() % 200) - 100, unsigned(random() % 9999999));
      text.append(line, static_cast<std::size_t>(length));
    }
  }
  return text;
}

inline std::string binary_weights(std::mt19937& random) {
  std::string content;
  const auto add = [&](auto item) { content.append(reinterpret_cast<const char*>(&item), sizeof item); };
  add(gnubg::kBinaryMagic);
  add(1.00F);
  for (const gnubg::NetworkShape& shape : gnubg::kNetworkShapes) {
    for (const int number : {shape.inputs, shape.hidden, gnubg::kOutputs, 1}) add(number);
    add(gnubg::kHiddenBeta);
    add(gnubg::kOutputBeta);
    const int numbers = shape.inputs * shape.hidden + gnubg::kOutputs * shape.hidden + shape.hidden + gnubg::kOutputs;
    for (int i = 0; i < numbers; ++i) add(static_cast<float>(random() % 2000) / 10.0F - 100.0F);
  }
  return content;
}

}  // namespace botd::testing
