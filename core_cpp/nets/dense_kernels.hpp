// The loops of dense networks, once for each instruction set.
//
// Most hidden units are zero (ReLU), and zeros cost nothing here: boards are taken in groups of up to kGroup, and a group
// only passes over the columns in which one of its boards has something. Which boards share a group never changes a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/cpu_path.hpp"

namespace botd::nets {

inline constexpr std::size_t kGroup = 4;
// Outputs whose weights lie together; every layer is padded to a multiple of it.
inline constexpr std::size_t kTile = 64;
// Inputs of a column in 16-bit arithmetic.
inline constexpr std::size_t kPair = 2;

// What a group multiplies: `count` columns, and each board's inputs there (for 16-bit arithmetic pairs of them).
template <typename Value>
struct ActiveColumns {
  std::size_t count = 0;
  const std::uint32_t* columns = nullptr;
  const Value* values[kGroup] = {};
};
using FloatColumns = ActiveColumns<float>;
using PairColumns = ActiveColumns<std::int32_t>;

// One layer; `stride` is the padded number of outputs. Weights: [tile][column][output in tile], for 16-bit arithmetic
// with the pair of a column last.
struct FloatWeights {
  const float* weights = nullptr;
  const float* biases = nullptr;
  std::size_t columns = 0;
  std::size_t stride = 0;
};
struct PairWeights {
  const std::int16_t* weights = nullptr;
  const float* scales = nullptr;  // of each output: one unit of its sums
  const float* biases = nullptr;
  std::size_t columns = 0;
  std::size_t stride = 0;
};

struct DenseKernels {
  const char* name;
  // out[m][j] = max(0, bias + sum) for one tile and a group of `boards` boards.
  void (*float_tile)(const FloatWeights& layer, std::size_t tile, const FloatColumns& columns, std::size_t boards,
                     float* const* out);
  // The same of 16-bit numbers, where board m's inputs are in units of scales[m].
  void (*pair_tile)(const PairWeights& layer, std::size_t tile, const PairColumns& columns, std::size_t boards,
                    const float* scales, float* const* out);
  // Columns in which a board of the group is not zero; returns their number. `values[m]` gets board m's.
  std::size_t (*float_columns)(const float* const* in, std::size_t boards, std::size_t columns, std::uint32_t* active,
                               float* const* values);
  std::size_t (*pair_columns)(const std::int32_t* const* in, std::size_t boards, std::size_t columns,
                              std::uint32_t* active, std::int32_t* const* values);
  // Numbers >= 0 in units of the scale returned, the largest for which no sum of the layer can overflow.
  float (*quantize)(const float* in, std::size_t count, std::int16_t* out);
  // The sum of products; `count` is a multiple of kTile.
  float (*dot)(const float* a, const float* b, std::size_t count);
};

// Sums of products of 16-bit numbers stay within 32 bits if the inputs' and the weights' Euclidean norms do not exceed
// these (Cauchy-Schwarz); the margins are for what rounding adds to them.
inline constexpr double kInputNorm = 32768.0 - 64.0;
inline constexpr double kWeightNorm = 65536.0 - 256.0;

// "plain", "avx2", "avx512", "avx512vnni": those that this binary has and this processor can run, slowest first.
[[nodiscard]] std::vector<const DenseKernels*> available_dense_kernels();

// The fastest on this path of those available.
[[nodiscard]] const DenseKernels& dense_kernels(CpuPath path);

extern const DenseKernels kDensePlain;
#ifdef BOTD_X86
extern const DenseKernels kDenseAvx2;
extern const DenseKernels kDenseAvx512;
extern const DenseKernels kDenseVnni;
#endif

}  // namespace botd::nets
