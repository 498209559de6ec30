#include "gnubg/weights.hpp"

#include <string>

#include "common/whole_file.hpp"
#include "gnubg/weight_formats.hpp"

namespace botd::gnubg {
namespace {

constexpr const char* kExpected = "a weight file of gnubg (gnubg.weights or gnubg.wd)";

}  // namespace

void allocate(const NetworkShape& shape, NetworkWeights& weights) {
  const auto inputs = static_cast<std::size_t>(shape.inputs);
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  weights.hidden.assign(inputs * hidden, 0.0F);
  weights.output.assign(kOutputs * hidden, 0.0F);
  weights.hidden_threshold.assign(hidden, 0.0F);
  weights.output_threshold.assign(kOutputs, 0.0F);
}

WeightFile read_weights(const std::filesystem::path& path) {
  const std::string content = read_whole_file(path, kLargestWeightFile, kExpected);
  if (content.starts_with(kTextMagic)) return parse_text_weights(content, path.string());
  return parse_binary_weights(content, path.string());
}

}  // namespace botd::gnubg
