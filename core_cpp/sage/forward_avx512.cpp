#ifdef BOTD_X86
// GCC 12 takes the deliberately undefined registers inside its own intrinsics for mistakes (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "sage/forward.hpp"
#include "sage/sigmoid.hpp"

namespace botd::sage {
namespace {

constexpr int kWidth = 16;
constexpr int kRegisters = kTile / kWidth;

inline void load_tile(const NetworkLayout& layout, const Row& row, int first, __m512* z) {
#pragma GCC unroll 5
  for (int r = 0; r < kRegisters; ++r) z[r] = _mm512_load_ps(row.start + first + r * kWidth);
  for (int c = 0; c < row.count; ++c) {
    const float* column = layout.columns + static_cast<long>(row.changes[c].input) * layout.stride + first;
    const __m512 delta = _mm512_set1_ps(row.changes[c].delta);
#pragma GCC unroll 5
    for (int r = 0; r < kRegisters; ++r) z[r] = _mm512_fmadd_ps(delta, _mm512_load_ps(column + r * kWidth), z[r]);
  }
}

inline __m512 full_sigmoid(__m512 z) {
  z = _mm512_min_ps(_mm512_max_ps(z, _mm512_set1_ps(-kSigmoidLimit)), _mm512_set1_ps(kSigmoidLimit));
  const __m512 t = _mm512_mul_ps(z, _mm512_set1_ps(-kLog2E));
  const __m512 whole = _mm512_roundscale_ps(t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m512 f = _mm512_sub_ps(t, whole);
  __m512 power = _mm512_set1_ps(kExp2Coefficients[6]);
#pragma GCC unroll 6
  for (int k = 5; k >= 0; --k) power = _mm512_fmadd_ps(power, f, _mm512_set1_ps(kExp2Coefficients[k]));
  const __m512 one = _mm512_set1_ps(1.0F);
  return _mm512_div_ps(one, _mm512_add_ps(one, _mm512_scalef_ps(power, whole)));
}

// The activations of units that include some beyond the last full group of eight.
__m512 mixed_sigmoid(__m512 z, int full_groups_here) {
  alignas(64) float values[kWidth];
  alignas(64) float mixed[kWidth];
  _mm512_store_ps(values, z);
  _mm512_store_ps(mixed, full_sigmoid(z));
  for (int j = full_groups_here > 0 ? full_groups_here : 0; j < kWidth; ++j) mixed[j] = table_sigmoid(values[j]);
  return _mm512_load_ps(mixed);
}

}  // namespace

void accumulate_avx512(const NetworkLayout& layout, const Row& row, float* z) {
  for (int first = 0; first < layout.stride; first += kTile) {
    __m512 tile[kRegisters];
    load_tile(layout, row, first, tile);
#pragma GCC unroll 5
    for (int r = 0; r < kRegisters; ++r) _mm512_store_ps(z + first + r * kWidth, tile[r]);
  }
}

void outputs_avx512(const NetworkLayout& layout, const Row* rows, int count, float* outputs) {
  __m512 sums[kMostRows][kOutputs];
  const int full_groups = layout.hidden - layout.hidden % 8;
  for (int first = 0; first < layout.stride; first += kTile) {
    const bool mixed = first + kTile > full_groups && first < layout.hidden && full_groups < layout.hidden;
    for (int i = 0; i < count; ++i) {
      __m512 tile[kRegisters];
      load_tile(layout, rows[i], first, tile);
#pragma GCC unroll 5
      for (int r = 0; r < kRegisters; ++r) {
        const int unit = first + r * kWidth;
        const bool mixed_here = mixed && unit + kWidth > full_groups && unit < layout.hidden;
        tile[r] = mixed_here ? mixed_sigmoid(tile[r], full_groups - unit) : full_sigmoid(tile[r]);
      }
#pragma GCC unroll 5
      for (int k = 0; k < kOutputs; ++k) {
        const float* weights = layout.output + k * layout.stride + first;
        __m512 sum = first == 0 ? _mm512_setzero_ps() : sums[i][k];
#pragma GCC unroll 5
        for (int r = 0; r < kRegisters; ++r) sum = _mm512_fmadd_ps(tile[r], _mm512_load_ps(weights + r * kWidth), sum);
        sums[i][k] = sum;
      }
    }
  }
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < kOutputs; ++k)
      outputs[i * kOutputs + k] = layout.output_bias[k] + _mm512_reduce_add_ps(sums[i][k]);
}

}  // namespace botd::sage
#endif
