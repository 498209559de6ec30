#include <algorithm>
#include <array>
#include <bit>

#include "sage/forward.hpp"
#include "sage/sigmoid.hpp"

namespace botd::sage {
namespace {

using Tile = std::array<float, kTile>;

void load_tile(const NetworkLayout& layout, const float* start, const InputChange* changes, int count, int first,
               Tile& z) {
  for (std::size_t j = 0; j < kTile; ++j) z[j] = start[static_cast<std::size_t>(first) + j];
  for (int c = 0; c < count; ++c) {
    const float* column = layout.columns + static_cast<std::ptrdiff_t>(changes[c].input) * layout.stride + first;
    const float delta = changes[c].delta;
    for (std::size_t j = 0; j < kTile; ++j) z[j] += delta * column[j];
  }
}

void full_sigmoid(Tile& z) {
  for (float& value : z) {
    const float t = -kLog2E * std::clamp(value, -kSigmoidLimit, kSigmoidLimit);
    constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding and subtracting it rounds to whole numbers
    const float whole = (t + kRound) - kRound;
    const float f = t - whole;
    float power = kExp2Coefficients[6];
    for (int k = 5; k >= 0; --k) power = power * f + kExp2Coefficients[k];
    const auto exponent = static_cast<std::int32_t>(whole);
    power *= std::bit_cast<float>((exponent + 127) << 23);
    value = 1.0F / (1.0F + power);
  }
}

}  // namespace

ForwardKernels forward_kernels(CpuPath path) {
  switch (path) {
#ifdef BOTD_X86
    case CpuPath::avx2:
      return {accumulate_avx2, outputs_avx2};
    case CpuPath::avx512:
      return {accumulate_avx512, outputs_avx512};
#endif
    default:
      return {accumulate_plain, outputs_plain};
  }
}

void accumulate_plain(const NetworkLayout& layout, const float* start, const InputChange* changes, int count,
                      float* z) {
  Tile tile;
  for (int first = 0; first < layout.stride; first += kTile) {
    load_tile(layout, start, changes, count, first, tile);
    std::copy(tile.begin(), tile.end(), z + first);
  }
}

void outputs_plain(const NetworkLayout& layout, const float* start, const InputChange* changes, int count,
                   float* outputs) {
  constexpr std::size_t kLanes = 8;
  std::array<std::array<float, kLanes>, kOutputs> sums{};
  const int full_groups = layout.hidden - layout.hidden % 8;
  Tile tile;
  for (int first = 0; first < layout.stride; first += kTile) {
    load_tile(layout, start, changes, count, first, tile);
    std::array<float, 8> rest{};
    for (int j = full_groups; j < layout.hidden; ++j)
      if (j >= first && j < first + kTile)
        rest[static_cast<std::size_t>(j - full_groups)] = table_sigmoid(tile[static_cast<std::size_t>(j - first)]);
    full_sigmoid(tile);
    for (int j = full_groups; j < layout.hidden; ++j)
      if (j >= first && j < first + kTile)
        tile[static_cast<std::size_t>(j - first)] = rest[static_cast<std::size_t>(j - full_groups)];
    for (std::size_t k = 0; k < kOutputs; ++k) {
      const float* weights = layout.output + k * static_cast<std::size_t>(layout.stride) + first;
      for (std::size_t j = 0; j < kTile; j += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) sums[k][lane] += weights[j + lane] * tile[j + lane];
    }
  }
  for (std::size_t k = 0; k < kOutputs; ++k) {
    float sum = 0.0F;
    for (const float lane : sums[k]) sum += lane;
    outputs[k] = layout.output_bias[k] + sum;
  }
}

}  // namespace botd::sage
