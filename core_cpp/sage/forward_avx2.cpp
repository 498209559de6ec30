#ifdef BOTD_X86
#include <immintrin.h>

#include "sage/forward.hpp"
#include "sage/sigmoid.hpp"

namespace botd::sage {
namespace {

constexpr int kWidth = 8;
constexpr int kRegisters = kTile / kWidth;

inline void load_tile(const NetworkLayout& layout, const Row& row, int first, __m256* z) {
#pragma GCC unroll 10
  for (int r = 0; r < kRegisters; ++r) z[r] = _mm256_load_ps(row.start + first + r * kWidth);
  for (int c = 0; c < row.count; ++c) {
    const float* column = layout.columns + static_cast<long>(row.changes[c].input) * layout.stride + first;
    const __m256 delta = _mm256_set1_ps(row.changes[c].delta);
#pragma GCC unroll 10
    for (int r = 0; r < kRegisters; ++r) z[r] = _mm256_fmadd_ps(delta, _mm256_load_ps(column + r * kWidth), z[r]);
  }
}

inline __m256 full_sigmoid(__m256 z) {
  z = _mm256_min_ps(_mm256_max_ps(z, _mm256_set1_ps(-kSigmoidLimit)), _mm256_set1_ps(kSigmoidLimit));
  const __m256 t = _mm256_mul_ps(z, _mm256_set1_ps(-kLog2E));
  const __m256 whole = _mm256_round_ps(t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m256 f = _mm256_sub_ps(t, whole);
  __m256 power = _mm256_set1_ps(kExp2Coefficients[6]);
#pragma GCC unroll 6
  for (int k = 5; k >= 0; --k) power = _mm256_fmadd_ps(power, f, _mm256_set1_ps(kExp2Coefficients[k]));
  const __m256i exponent = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(whole), _mm256_set1_epi32(127)), 23);
  const __m256 one = _mm256_set1_ps(1.0F);
  return _mm256_div_ps(one, _mm256_fmadd_ps(power, _mm256_castsi256_ps(exponent), one));
}

inline float horizontal_sum(__m256 v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  s = _mm_add_ss(s, _mm_movehdup_ps(s));
  return _mm_cvtss_f32(s);
}

// The activations of eight units, all of them in a full group of eight or none.
inline __m256 activations(__m256 z, bool in_full_group) {
  if (in_full_group) return full_sigmoid(z);
  alignas(32) float rest[kWidth];
  _mm256_store_ps(rest, z);
  for (int j = 0; j < kWidth; ++j) rest[j] = table_sigmoid(rest[j]);
  return _mm256_load_ps(rest);
}

}  // namespace

void accumulate_avx2(const NetworkLayout& layout, const Row& row, float* z) {
  for (int first = 0; first < layout.stride; first += kTile) {
    __m256 tile[kRegisters];
    load_tile(layout, row, first, tile);
    for (int r = 0; r < kRegisters; ++r) _mm256_store_ps(z + first + r * kWidth, tile[r]);
  }
}

void outputs_avx2(const NetworkLayout& layout, const Row* rows, int count, float* outputs) {
  __m256 sums[kMostRows][kOutputs];
  const int full_groups = layout.hidden - layout.hidden % 8;
  for (int first = 0; first < layout.stride; first += kTile) {
    for (int i = 0; i < count; ++i) {
      __m256 tile[kRegisters];
      load_tile(layout, rows[i], first, tile);
#pragma GCC unroll 10
      for (int r = 0; r < kRegisters; ++r) {
        const int unit = first + r * kWidth;
        tile[r] = activations(tile[r], unit < full_groups || unit >= layout.hidden);
      }
#pragma GCC unroll 5
      for (int k = 0; k < kOutputs; ++k) {
        const float* weights = layout.output + k * layout.stride + first;
        __m256 sum = first == 0 ? _mm256_setzero_ps() : sums[i][k];
#pragma GCC unroll 10
        for (int r = 0; r < kRegisters; ++r) sum = _mm256_fmadd_ps(tile[r], _mm256_load_ps(weights + r * kWidth), sum);
        sums[i][k] = sum;
      }
    }
  }
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < kOutputs; ++k) outputs[i * kOutputs + k] = layout.output_bias[k] + horizontal_sum(sums[i][k]);
}

int changes_avx2(const float* values, const float* base, int count, int first_input, InputChange* changes) {
  int found = 0;
  int i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    alignas(32) float deltas[kWidth];
    const __m256 delta = _mm256_sub_ps(_mm256_loadu_ps(values + i), _mm256_loadu_ps(base + i));
    _mm256_store_ps(deltas, delta);
    unsigned changed = static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(delta, _mm256_setzero_ps(), _CMP_NEQ_OQ)));
    for (; changed != 0; changed &= changed - 1) {
      const int k = __builtin_ctz(changed);
      changes[found++] = {first_input + i + k, deltas[k]};
    }
  }
  for (; i < count; ++i) {
    const float delta = values[i] - base[i];
    changes[found] = {first_input + i, delta};
    found += delta != 0.0F ? 1 : 0;
  }
  return found;
}

}  // namespace botd::sage
#endif
