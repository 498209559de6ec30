#include "sage/network.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "rules/errors.hpp"
#include "sage/data_file.hpp"

namespace botd::sage {
namespace {

static_assert(std::endian::native == std::endian::little, "weight files are read as little-endian numbers");

constexpr std::size_t kHeaderBytes = 12;
// Far beyond any trained weight, and small enough that no sum can overflow.
constexpr float kLargestWeight = 1.0e6F;

class Reader {
 public:
  Reader(const std::filesystem::path& path, const std::vector<std::byte>& bytes) : path_(path), bytes_(bytes) {}

  void expect_int(const char* what, std::int32_t expected) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes_.data() + offset_, sizeof value);
    if (value != expected)
      throw DataError(path_.string() + ": offset " + std::to_string(offset_) + ": " + what + " is " +
                      std::to_string(value) + ", expected " + std::to_string(expected));
    offset_ += sizeof value;
  }

  float weight() {
    float value = 0.0F;
    std::memcpy(&value, bytes_.data() + offset_, sizeof value);
    if (!(std::fabs(value) <= kLargestWeight))
      throw DataError(path_.string() + ": offset " + std::to_string(offset_) + ": weight is " +
                      std::to_string(value) + ", expected a finite number of at most a million");
    offset_ += sizeof value;
    return value;
  }

 private:
  const std::filesystem::path& path_;
  const std::vector<std::byte>& bytes_;
  std::size_t offset_ = 0;
};

}  // namespace

Network::Network(const std::filesystem::path& path, NetworkShape shape) {
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  const auto inputs = static_cast<std::size_t>(shape.inputs);
  constexpr std::size_t kOut = kOutputs;
  const std::size_t size = kHeaderBytes + 4 * (hidden * (inputs + 1) + kOut * (hidden + 1));
  const std::vector<std::byte> bytes = read_data_file(path, size);
  Reader reader(path, bytes);
  reader.expect_int("the number of hidden units", shape.hidden);
  reader.expect_int("the number of inputs", shape.inputs);
  reader.expect_int("the number of outputs", kOutputs);

  const std::size_t stride = (hidden + kTile - 1) / kTile * kTile;
  const std::size_t columns = 0;
  const std::size_t hidden_bias = columns + inputs * stride;
  const std::size_t output = hidden_bias + stride;
  const std::size_t output_bias = output + kOut * stride;
  memory_.reset(allocate_floats(output_bias + kOut));
  float* const memory = memory_.get();
  for (std::size_t j = 0; j < hidden; ++j) {
    for (std::size_t i = 0; i < inputs; ++i) memory[columns + i * stride + j] = reader.weight();
    memory[hidden_bias + j] = reader.weight();
  }
  for (std::size_t k = 0; k < kOut; ++k) {
    for (std::size_t j = 0; j < hidden; ++j) memory[output + k * stride + j] = reader.weight();
    memory[output_bias + k] = reader.weight();
  }
  layout_ = {memory + columns, memory + hidden_bias, memory + output, memory + output_bias,
             static_cast<int>(stride), shape.hidden};
}

}  // namespace botd::sage
