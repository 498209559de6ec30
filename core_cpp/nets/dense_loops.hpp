// The loops behind dense_kernels.hpp, for any vector type. Included by one file for each instruction set, in whose unnamed
// namespace the vector type must be, so that no two of them share code.
//
// A vector type V has kWidth lanes (a divisor of kLanes), kVectors (vectors of sums per board that fit the registers),
// types Float and Int, and the operations used below. Sums over a board are kept in kLanes lanes and added up in one
// order by all, so that every instruction set gives the same bits in 16-bit arithmetic.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "nets/dense_kernels.hpp"

namespace botd::nets::loops {

inline constexpr std::size_t kLanes = 16;

template <class V>
struct Lanes {
  static constexpr std::size_t kCount = kLanes / V::kWidth;
  typename V::Float parts[kCount];

  Lanes() {
    for (auto& part : parts) part = V::zero();
  }
};

template <class V>
float total(const Lanes<V>& lanes) {
  alignas(64) std::array<float, kLanes> sums;
  for (std::size_t r = 0; r < Lanes<V>::kCount; ++r) V::store(sums.data() + r * V::kWidth, lanes.parts[r]);
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  return sums[0];
}

template <class V>
float dot(const float* a, const float* b, std::size_t count) {
  Lanes<V> sums;
  for (std::size_t i = 0; i < count; i += kLanes)
    for (std::size_t r = 0; r < Lanes<V>::kCount; ++r) {
      const std::size_t at = i + r * V::kWidth;
      sums.parts[r] = V::add(sums.parts[r], V::multiply(V::load(a + at), V::load(b + at)));
    }
  return total<V>(sums);
}

template <class V>
float quantize(const float* in, std::size_t count, std::int16_t* out) {
  Lanes<V> squares;
  for (std::size_t i = 0; i < count; i += kLanes)
    for (std::size_t r = 0; r < Lanes<V>::kCount; ++r) {
      const typename V::Float x = V::load(in + i + r * V::kWidth);
      squares.parts[r] = V::add(squares.parts[r], V::multiply(x, x));
    }
  const float norm = std::sqrt(total<V>(squares));
  const float scale = norm / static_cast<float>(kInputNorm);
  const typename V::Float steps = V::broadcast(scale > 0.0F ? 1.0F / scale : 0.0F);
  for (std::size_t i = 0; i < count; i += V::kWidth) V::store_rounded(out + i, V::multiply(V::load(in + i), steps));
  return scale;
}

// Columns whose products are added up by themselves first: rounding errors grow with the length of a sum. A board's
// numbers are added in one order, whatever columns its group adds to its own.
inline constexpr std::uint32_t kRun = 128;

// The compiler keeps `sums` in registers: all loops over them have fixed lengths. Totals stay in `out`.
template <class V, std::size_t kBoards>
void float_tile_of(const FloatWeights& layer, std::size_t tile, const FloatColumns& columns, float* const* out) {
  constexpr std::size_t kPart = V::kVectors * V::kWidth;
  const float* const tile_weights = layer.weights + tile * layer.columns * kTile;
  for (std::size_t part = 0; part < kTile; part += kPart) {
    const std::size_t first = tile * kTile + part;
    for (std::size_t m = 0; m < kBoards; ++m)
      for (std::size_t n = 0; n < V::kVectors; ++n)
        V::store(out[m] + first + n * V::kWidth, V::load(layer.biases + first + n * V::kWidth));
    std::size_t k = 0;
    for (std::uint32_t end = kRun; k < columns.count; end += kRun) {
      typename V::Float sums[kBoards][V::kVectors];
      for (std::size_t n = 0; n < V::kVectors; ++n)
        for (std::size_t m = 0; m < kBoards; ++m) sums[m][n] = V::zero();
      for (; k < columns.count && columns.columns[k] < end; ++k) {
        const float* const weights = tile_weights + columns.columns[k] * kTile + part;
        typename V::Float w[V::kVectors];
        for (std::size_t n = 0; n < V::kVectors; ++n) w[n] = V::load(weights + n * V::kWidth);
        for (std::size_t m = 0; m < kBoards; ++m) {
          const typename V::Float x = V::broadcast(columns.values[m][k]);
          for (std::size_t n = 0; n < V::kVectors; ++n) sums[m][n] = V::multiply_add(x, w[n], sums[m][n]);
        }
      }
      for (std::size_t m = 0; m < kBoards; ++m)
        for (std::size_t n = 0; n < V::kVectors; ++n) {
          float* const total = out[m] + first + n * V::kWidth;
          V::store(total, V::add(V::load(total), sums[m][n]));
        }
    }
    for (std::size_t m = 0; m < kBoards; ++m)
      for (std::size_t n = 0; n < V::kVectors; ++n) {
        float* const total = out[m] + first + n * V::kWidth;
        V::store(total, V::positive(V::load(total)));
      }
  }
}

template <class V, std::size_t kBoards>
void pair_tile_of(const PairWeights& layer, std::size_t tile, const PairColumns& columns, const float* scales,
                  float* const* out) {
  constexpr std::size_t kPart = V::kVectors * V::kWidth;
  const std::int16_t* const tile_weights = layer.weights + tile * layer.columns * kTile * kPair;
  for (std::size_t part = 0; part < kTile; part += kPart) {
    typename V::Int sums[kBoards][V::kVectors];
    for (auto& board : sums)
      for (auto& sum : board) sum = V::zero_int();
    for (std::size_t k = 0; k < columns.count; ++k) {
      const std::int16_t* const weights = tile_weights + (columns.columns[k] * kTile + part) * kPair;
      typename V::Int w[V::kVectors];
      for (std::size_t n = 0; n < V::kVectors; ++n) w[n] = V::load_int(weights + n * V::kWidth * kPair);
      for (std::size_t m = 0; m < kBoards; ++m) {
        const typename V::Int x = V::broadcast_int(columns.values[m][k]);
        for (std::size_t n = 0; n < V::kVectors; ++n) sums[m][n] = V::add_pairs(sums[m][n], x, w[n]);
      }
    }
    const std::size_t first = tile * kTile + part;
    for (std::size_t m = 0; m < kBoards; ++m) {
      const typename V::Float scale = V::broadcast(scales[m]);
      for (std::size_t n = 0; n < V::kVectors; ++n) {
        const std::size_t at = first + n * V::kWidth;
        const typename V::Float sum = V::multiply(V::multiply(V::to_float(sums[m][n]), scale), V::load(layer.scales + at));
        V::store(out[m] + at, V::positive(V::add(sum, V::load(layer.biases + at))));
      }
    }
  }
}

template <class V>
void float_tile(const FloatWeights& layer, std::size_t tile, const FloatColumns& columns, std::size_t boards,
                float* const* out) {
  static_assert(kGroup == 4);
  switch (boards) {
    case 1:
      return float_tile_of<V, 1>(layer, tile, columns, out);
    case 2:
      return float_tile_of<V, 2>(layer, tile, columns, out);
    case 3:
      return float_tile_of<V, 3>(layer, tile, columns, out);
    default:
      return float_tile_of<V, 4>(layer, tile, columns, out);
  }
}

template <class V>
void pair_tile(const PairWeights& layer, std::size_t tile, const PairColumns& columns, std::size_t boards,
               const float* scales, float* const* out) {
  static_assert(kGroup == 4);
  switch (boards) {
    case 1:
      return pair_tile_of<V, 1>(layer, tile, columns, scales, out);
    case 2:
      return pair_tile_of<V, 2>(layer, tile, columns, scales, out);
    case 3:
      return pair_tile_of<V, 3>(layer, tile, columns, scales, out);
    default:
      return pair_tile_of<V, 4>(layer, tile, columns, scales, out);
  }
}

// Written always, counted only where something is not zero: no branch to mispredict. V does nothing but keep
// the code of one instruction set apart from that of another.
template <class V, typename Value>
std::size_t active_columns(const Value* const* in, std::size_t boards, std::size_t columns, std::uint32_t* active,
                           Value* const* values) {
  std::size_t count = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    bool any = false;
    for (std::size_t m = 0; m < boards; ++m) {
      values[m][count] = in[m][c];
      any |= in[m][c] != Value{};
    }
    active[count] = static_cast<std::uint32_t>(c);
    count += any ? 1 : 0;
  }
  return count;
}

template <class V>
constexpr DenseKernels kernels(const char* name) {
  return {name,        float_tile<V>, pair_tile<V>, active_columns<V, float>, active_columns<V, std::int32_t>,
          quantize<V>, dot<V>};
}

}  // namespace botd::nets::loops
