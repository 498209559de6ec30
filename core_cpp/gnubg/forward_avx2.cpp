#ifdef BOTD_X86
#include <immintrin.h>

#include "gnubg/forward.hpp"
#include "gnubg/network_shape.hpp"
#include "gnubg/sigmoid.hpp"

namespace botd::gnubg {
namespace {

constexpr int kWidth = 8;
// Half of a large network, so that all sums stay in registers while all inputs pass.
constexpr int kMostRegisters = 8;

template <int kRegisters>
inline void hidden_sums(const NetworkLayout& layout, const ActiveInput* inputs, int count, int first, __m256* z) {
#pragma GCC unroll 8
  for (int r = 0; r < kRegisters; ++r) z[r] = _mm256_load_ps(layout.hidden_threshold + first + r * kWidth);
  for (int c = 0; c < count; ++c) {
    const float* row = layout.rows + static_cast<long>(inputs[c].input) * layout.stride + first;
    const __m256 value = _mm256_set1_ps(inputs[c].value);
    // Not fused: every path gives the same bits.
#pragma GCC unroll 8
    for (int r = 0; r < kRegisters; ++r)
      z[r] = _mm256_add_ps(z[r], _mm256_mul_ps(value, _mm256_load_ps(row + r * kWidth)));
  }
}

template <bool kExact>
inline __m256 activation(__m256 z) {
  z = _mm256_mul_ps(z, _mm256_set1_ps(kHiddenBeta));
  const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), z);
  const __m256 scaled = _mm256_mul_ps(_mm256_min_ps(size, _mm256_set1_ps(kSigmoidLimit)),
                                      _mm256_set1_ps(kSigmoidSteps));
  const __m256i knot = _mm256_cvttps_epi32(scaled);
  const __m256 fraction = _mm256_sub_ps(scaled, _mm256_cvtepi32_ps(knot));
  const __m256 table = _mm256_i32gather_ps(reinterpret_cast<const float*>(&kSigmoidTable), knot, sizeof(float));
  const __m256 one = _mm256_set1_ps(1.0F);
  const __m256 divisor =
      _mm256_add_ps(one, _mm256_mul_ps(table, _mm256_add_ps(_mm256_set1_ps(10.0F), fraction)));
  const __m256 s = kExact ? _mm256_div_ps(one, divisor) : _mm256_rcp_ps(divisor);
  const __m256 negative = _mm256_cmp_ps(z, _mm256_setzero_ps(), _CMP_LT_OQ);
  return _mm256_blendv_ps(_mm256_sub_ps(one, s), s, negative);
}

inline float pairwise_sum(__m256 low, __m256 high) {
  const __m256 eight = _mm256_add_ps(low, high);
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  s = _mm_add_ss(s, _mm_movehdup_ps(s));
  return _mm_cvtss_f32(s);
}

// Hidden units first .. first + 8 * kRegisters - 1.
template <bool kExact, int kRegisters>
inline void add_units(const NetworkLayout& layout, const ActiveInput* inputs, int count, int first, __m256 (*sums)[2]) {
  __m256 z[kRegisters];
  hidden_sums<kRegisters>(layout, inputs, count, first, z);
#pragma GCC unroll 8
  for (int r = 0; r < kRegisters; ++r) {
    const __m256 hidden = activation<kExact>(z[r]);
#pragma GCC unroll 5
    for (int k = 0; k < kOutputs; ++k) {
      const __m256 weights = _mm256_load_ps(layout.output + k * layout.stride + first + r * kWidth);
      sums[k][r % 2] = _mm256_add_ps(sums[k][r % 2], _mm256_mul_ps(weights, hidden));
    }
  }
}

template <bool kExact>
void forward(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs) {
  __m256 sums[kOutputs][2];
  for (auto& pair : sums) pair[0] = pair[1] = _mm256_setzero_ps();
  if (layout.stride == kLanes) {
    add_units<kExact, kLanes / kWidth>(layout, inputs, count, 0, sums);
  } else {
    for (int first = 0; first < layout.stride; first += kMostRegisters * kWidth)
      add_units<kExact, kMostRegisters>(layout, inputs, count, first, sums);
  }
  for (int k = 0; k < kOutputs; ++k)
    outputs[k] = pairwise_sum(sums[k][0], sums[k][1]) + layout.output_threshold[k];
}

}  // namespace

void forward_avx2(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs) {
  forward<true>(layout, inputs, count, outputs);
}

void forward_reciprocal_avx2(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs) {
  forward<false>(layout, inputs, count, outputs);
}

}  // namespace botd::gnubg
#endif
