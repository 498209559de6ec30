#include <algorithm>
#include <array>
#include <bit>

#include "sage/forward.hpp"
#include "sage/sigmoid.hpp"

namespace botd::sage {
namespace {

using Tile = std::array<float, kTile>;

// A few units at a time, so that their sums stay in registers while all changes pass.
constexpr std::size_t kBlock = 16;

void load_tile(const NetworkLayout& layout, const Row& row, int first, Tile& z) {
  for (std::size_t block = 0; block < kTile; block += kBlock) {
    const std::size_t unit = static_cast<std::size_t>(first) + block;
    std::array<float, kBlock> sums;
    for (std::size_t j = 0; j < kBlock; ++j) sums[j] = row.start[unit + j];
    for (int c = 0; c < row.count; ++c) {
      const float* column = layout.columns + static_cast<std::ptrdiff_t>(row.changes[c].input) * layout.stride + unit;
      const float delta = row.changes[c].delta;
      for (std::size_t j = 0; j < kBlock; ++j) sums[j] += delta * column[j];
    }
    for (std::size_t j = 0; j < kBlock; ++j) z[block + j] = sums[j];
  }
}

// Written so that compilers turn the loop into vector code.
void full_sigmoid(Tile& z) {
  constexpr const float* c = kExp2Coefficients;
  for (std::size_t j = 0; j < kTile; ++j) {
    float limited = z[j] < -kSigmoidLimit ? -kSigmoidLimit : z[j];
    limited = limited > kSigmoidLimit ? kSigmoidLimit : limited;
    const float t = -kLog2E * limited;
    constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding and subtracting it rounds to whole numbers
    const float whole = (t + kRound) - kRound;
    const float f = t - whole;
    const float power = c[0] + f * (c[1] + f * (c[2] + f * (c[3] + f * (c[4] + f * (c[5] + f * c[6])))));
    const std::int32_t exponent = (static_cast<std::int32_t>(whole) + 127) << 23;
    z[j] = 1.0F / (1.0F + power * std::bit_cast<float>(exponent));
  }
}

// The activations of the units from `first` on.
void activate(const NetworkLayout& layout, int first, Tile& tile) {
  const int full_groups = layout.hidden - layout.hidden % 8;
  std::array<float, 8> rest{};
  for (int j = std::max(full_groups, first); j < std::min(layout.hidden, first + kTile); ++j)
    rest[static_cast<std::size_t>(j - full_groups)] = table_sigmoid(tile[static_cast<std::size_t>(j - first)]);
  full_sigmoid(tile);
  for (int j = std::max(full_groups, first); j < std::min(layout.hidden, first + kTile); ++j)
    tile[static_cast<std::size_t>(j - first)] = rest[static_cast<std::size_t>(j - full_groups)];
}

}  // namespace

ForwardKernels forward_kernels(CpuPath path) {
  switch (path) {
#ifdef BOTD_X86
    case CpuPath::avx2:
      return {accumulate_avx2, outputs_avx2, changes_avx2};
    case CpuPath::avx512:
      return {accumulate_avx512, outputs_avx512, changes_avx512};
#endif
    default:
      return {accumulate_plain, outputs_plain, changes_plain};
  }
}

void accumulate_plain(const NetworkLayout& layout, const Row& row, float* z) {
  Tile tile;
  for (int first = 0; first < layout.stride; first += kTile) {
    load_tile(layout, row, first, tile);
    std::copy(tile.begin(), tile.end(), z + first);
  }
}

void outputs_plain(const NetworkLayout& layout, const Row* rows, int count, float* outputs) {
  constexpr std::size_t kLanes = 8;
  std::array<std::array<std::array<float, kLanes>, kOutputs>, kMostRows> sums{};
  for (int first = 0; first < layout.stride; first += kTile) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      Tile tile;
      load_tile(layout, rows[i], first, tile);
      activate(layout, first, tile);
      for (std::size_t k = 0; k < kOutputs; ++k) {
        const float* weights = layout.output + k * static_cast<std::size_t>(layout.stride) + first;
        auto& sum = sums[i][k];
        for (std::size_t j = 0; j < kTile; j += kLanes)
          for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += weights[j + lane] * tile[j + lane];
      }
    }
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    for (std::size_t k = 0; k < kOutputs; ++k) {
      float sum = 0.0F;
      for (const float lane : sums[i][k]) sum += lane;
      outputs[i * kOutputs + k] = layout.output_bias[k] + sum;
    }
  }
}

int changes_plain(const float* values, const float* base, int count, int first_input, InputChange* changes) {
  int found = 0;
  for (int i = 0; i < count; ++i) {
    // Written always, counted only if it is a change: no branch to mispredict.
    const float delta = values[i] - base[i];
    changes[found] = {first_input + i, delta};
    found += delta != 0.0F ? 1 : 0;
  }
  return found;
}

}  // namespace botd::sage
