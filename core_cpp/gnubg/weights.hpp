// gnubg's weight files: six networks in a text file (gnubg.weights) or a binary one (gnubg.wd).
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "gnubg/network_shape.hpp"

namespace botd::gnubg {

struct NetworkWeights {
  std::vector<float> hidden;            // inputs x hidden, all weights of one input together
  std::vector<float> output;            // kOutputs x hidden
  std::vector<float> hidden_threshold;  // hidden
  std::vector<float> output_threshold;  // kOutputs
};

struct WeightFile {
  std::string version;  // "1.00" or "1.01"
  std::array<NetworkWeights, kNetworks> networks;
};

// Text or binary is told by the first bytes. Throws DataError, naming the file, the line or offset and what was
// expected, if it is missing, cut short, too long, of another version or shape, or holds a weight that is not a
// finite number of at most a million.
[[nodiscard]] WeightFile read_weights(const std::filesystem::path& path);

}  // namespace botd::gnubg
