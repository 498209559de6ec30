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

int changes_avx512(const float* values, const float* base, int count, int first_input, InputChange* changes) {
  static_assert(sizeof(InputChange) == 8 && kChangesAtOnce >= kWidth);
  // Numbers and deltas side by side, as in InputChange.
  const __m512i low_pairs = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high_pairs = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const __m512i steps = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  int found = 0;
  for (int i = 0; i < count; i += kWidth) {
    const int left = count - i;
    const __mmask16 there = static_cast<__mmask16>(left >= kWidth ? 0xFFFFU : (1U << left) - 1U);
    const __m512 delta = _mm512_sub_ps(_mm512_maskz_loadu_ps(there, values + i), _mm512_maskz_loadu_ps(there, base + i));
    const unsigned changed = _mm512_cmp_ps_mask(delta, _mm512_setzero_ps(), _CMP_NEQ_OQ);
    const __m512i numbers = _mm512_add_epi32(steps, _mm512_set1_epi32(first_input + i));
    const auto append = [&](const __m512i& pairs, unsigned chosen) {
      const __m512i both = _mm512_permutex2var_epi32(numbers, pairs, _mm512_castps_si512(delta));
      _mm512_storeu_si512(changes + found, _mm512_maskz_compress_epi64(static_cast<__mmask8>(chosen), both));
      found += __builtin_popcount(chosen);
    };
    append(low_pairs, changed & 0xFFU);
    append(high_pairs, changed >> 8);
  }
  return found;
}

}  // namespace botd::sage
#endif
