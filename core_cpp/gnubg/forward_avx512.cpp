#ifdef BOTD_X86
#include <immintrin.h>

#include "gnubg/forward.hpp"
#include "gnubg/network_shape.hpp"
#include "gnubg/sigmoid.hpp"

namespace botd::gnubg {
namespace {

constexpr int kWidth = 16;
constexpr int kMostRegisters = 8;  // 128 hidden units

// The sigmoid's table in registers: looking up there is faster than gathering from memory.
struct Table {
  static constexpr int kRegisters = kSigmoidEntries / kWidth;
  __m512 part[kRegisters];

  Table() {
    const float* entries = reinterpret_cast<const float*>(&kSigmoidTable);
    for (int r = 0; r < kRegisters; ++r) part[r] = _mm512_load_ps(entries + r * kWidth);
  }

  // Entries `index`, 0..111.
  [[nodiscard]] __m512 operator()(__m512i index) const {
    const __mmask16 second = _mm512_test_epi32_mask(index, _mm512_set1_epi32(32));
    const __mmask16 upper = _mm512_test_epi32_mask(index, _mm512_set1_epi32(64));
    const __m512 below32 = _mm512_permutex2var_ps(part[0], index, part[1]);
    const __m512 below64 = _mm512_permutex2var_ps(part[2], index, part[3]);
    const __m512 below96 = _mm512_permutex2var_ps(part[4], index, part[5]);
    const __m512 last = _mm512_permutexvar_ps(index, part[6]);
    return _mm512_mask_blend_ps(upper, _mm512_mask_blend_ps(second, below32, below64),
                                _mm512_mask_blend_ps(second, below96, last));
  }
};

inline __m512 approximate_reciprocal(__m512 x) {
  // AVX-512's own reciprocals are more exact than RCPPS.
  const __m256 low = _mm256_rcp_ps(_mm512_castps512_ps256(x));
  const __m256 high = _mm256_rcp_ps(_mm512_extractf32x8_ps(x, 1));
  return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

template <bool kExact>
inline __m512 activation(__m512 z, const Table& table) {
  z = _mm512_mul_ps(z, _mm512_set1_ps(kHiddenBeta));
  const __m512 scaled = _mm512_mul_ps(_mm512_min_ps(_mm512_abs_ps(z), _mm512_set1_ps(kSigmoidLimit)),
                                      _mm512_set1_ps(kSigmoidSteps));
  const __m512i knot = _mm512_cvttps_epi32(scaled);
  const __m512 fraction = _mm512_sub_ps(scaled, _mm512_cvtepi32_ps(knot));
  const __m512 one = _mm512_set1_ps(1.0F);
  const __m512 divisor =
      _mm512_add_ps(one, _mm512_mul_ps(table(knot), _mm512_add_ps(_mm512_set1_ps(10.0F), fraction)));
  const __m512 s = kExact ? _mm512_div_ps(one, divisor) : approximate_reciprocal(divisor);
  const __mmask16 negative = _mm512_cmp_ps_mask(z, _mm512_setzero_ps(), _CMP_LT_OQ);
  return _mm512_mask_blend_ps(negative, _mm512_sub_ps(one, s), s);
}

inline float pairwise_sum(__m512 lanes) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(lanes), _mm512_extractf32x8_ps(lanes, 1));
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  s = _mm_add_ss(s, _mm_movehdup_ps(s));
  return _mm_cvtss_f32(s);
}

template <bool kExact, int kRegisters>
inline void forward_width(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs) {
  constexpr long kStride = kRegisters * kWidth;
  __m512 z[kRegisters];
#pragma GCC unroll 8
  for (int r = 0; r < kRegisters; ++r) z[r] = _mm512_load_ps(layout.hidden_threshold + r * kWidth);
  for (int c = 0; c < count; ++c) {
    const float* row = layout.rows + static_cast<long>(inputs[c].input) * kStride;
    const __m512 value = _mm512_set1_ps(inputs[c].value);
    // Not fused: every path gives the same bits.
#pragma GCC unroll 8
    for (int r = 0; r < kRegisters; ++r)
      z[r] = _mm512_add_ps(z[r], _mm512_mul_ps(value, _mm512_load_ps(row + r * kWidth)));
  }
  const Table table;
  __m512 sums[kOutputs];
#pragma GCC unroll 5
  for (int k = 0; k < kOutputs; ++k) sums[k] = _mm512_setzero_ps();
#pragma GCC unroll 8
  for (int r = 0; r < kRegisters; ++r) {
    const __m512 hidden = activation<kExact>(z[r], table);
#pragma GCC unroll 5
    for (int k = 0; k < kOutputs; ++k)
      sums[k] = _mm512_add_ps(sums[k], _mm512_mul_ps(_mm512_load_ps(layout.output + k * kStride + r * kWidth), hidden));
  }
  for (int k = 0; k < kOutputs; ++k) outputs[k] = pairwise_sum(sums[k]) + layout.output_threshold[k];
}

template <bool kExact>
void forward(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs) {
  if (layout.stride == kWidth)
    forward_width<kExact, 1>(layout, inputs, count, outputs);
  else
    forward_width<kExact, kMostRegisters>(layout, inputs, count, outputs);
}

}  // namespace

void forward_avx512(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs) {
  forward<true>(layout, inputs, count, outputs);
}

void forward_reciprocal_avx512(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs) {
  forward<false>(layout, inputs, count, outputs);
}

}  // namespace botd::gnubg
#endif
