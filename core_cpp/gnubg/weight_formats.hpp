// The two forms of a weight file, parsed from memory. Internal to the loader.
#pragma once

#include <string>
#include <string_view>

#include "gnubg/weights.hpp"
#include "rules/errors.hpp"

namespace botd::gnubg {

inline constexpr std::string_view kTextMagic = "GNU Backgammon ";
inline constexpr float kBinaryMagic = 472.3782F;
// Ten times beyond the size of any published file.
inline constexpr std::size_t kLargestWeightFile = 16 << 20;
// Far beyond any trained weight, and small enough that no sum can overflow.
inline constexpr float kLargestWeight = 1.0e6F;

// `source` names the file in errors.
[[nodiscard]] WeightFile parse_text_weights(std::string_view content, const std::string& source);
[[nodiscard]] WeightFile parse_binary_weights(std::string_view content, const std::string& source);

// Gives `weights` the vectors of its shape, all zero.
void allocate(const NetworkShape& shape, NetworkWeights& weights);

// Calls f(what, numbers) for the four parts of a network in the order of the files.
template <typename F>
void for_each_part(NetworkWeights& weights, F f) {
  f("hidden weight", weights.hidden);
  f("output weight", weights.output);
  f("hidden threshold", weights.hidden_threshold);
  f("output threshold", weights.output_threshold);
}

}  // namespace botd::gnubg
