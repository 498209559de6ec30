#include "gnubg/weights.hpp"

#include <fstream>
#include <system_error>

#include "gnubg/weight_formats.hpp"

namespace botd::gnubg {
namespace {

constexpr const char* kExpected = ", expected a weight file of gnubg (gnubg.weights or gnubg.wd)";

std::string read_file(const std::filesystem::path& path) {
  const auto failed = [&](const std::string& why) { return DataError(path.string() + ": " + why + kExpected); };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) throw failed("no such file");
  if (error) throw failed(error.message());
  if (!std::filesystem::is_regular_file(status)) throw failed("not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw failed(error.message());
  if (size > kLargestWeightFile) throw failed(std::to_string(size) + " bytes are too many");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw failed("cannot be opened for reading");
  std::string content(static_cast<std::size_t>(size), '\0');
  file.read(content.data(), static_cast<std::streamsize>(size));
  if (file.gcount() != static_cast<std::streamsize>(size))
    throw failed("reading ended at offset " + std::to_string(file.gcount()));
  return content;
}

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
  const std::string content = read_file(path);
  if (content.starts_with(kTextMagic)) return parse_text_weights(content, path.string());
  return parse_binary_weights(content, path.string());
}

}  // namespace botd::gnubg
