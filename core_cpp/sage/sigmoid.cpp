#include "sage/sigmoid.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace botd::sage {
namespace {

constexpr int kStepsPerUnit = 256;
constexpr float kCutOff = 8.0F;
constexpr std::size_t kEntries = 2 * 8 * kStepsPerUnit + 1;

std::array<float, kEntries> make_table() {
  std::array<float, kEntries> table{};
  for (std::size_t m = 0; m < kEntries; ++m)
    table[m] = static_cast<float>(1.0 / (1.0 + std::exp(8.0 - static_cast<double>(m) / kStepsPerUnit)));
  return table;
}

}  // namespace

float table_sigmoid(float y) {
  static const std::array<float, kEntries> table = make_table();
  if (!(y > -kCutOff)) return 0.0F;
  if (y >= kCutOff) return 1.0F;
  const float position = (y + kCutOff) * kStepsPerUnit;
  auto index = static_cast<std::size_t>(position);
  if (index > kEntries - 2) index = kEntries - 2;  // y + 8 may round up to 16
  const float fraction = position - static_cast<float>(index);
  return table[index] + fraction * (table[index + 1] - table[index]);
}

}  // namespace botd::sage
