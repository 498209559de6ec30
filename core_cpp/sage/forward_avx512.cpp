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
// A contact network's 400 hidden units fill 25 of the 32 registers, so that one pass over the changes does.
constexpr int kContactRegisters = 25;

template <int kCount>
inline void load_tile(const NetworkLayout& layout, const float* start, const InputChange* changes, int count,
                      int first, __m512* z) {
#pragma GCC unroll 25
  for (int r = 0; r < kCount; ++r) z[r] = _mm512_load_ps(start + first + r * kWidth);
  for (int c = 0; c < count; ++c) {
    const float* column = layout.columns + static_cast<long>(changes[c].input) * layout.stride + first;
    const __m512 delta = _mm512_set1_ps(changes[c].delta);
#pragma GCC unroll 25
    for (int r = 0; r < kCount; ++r) z[r] = _mm512_fmadd_ps(delta, _mm512_load_ps(column + r * kWidth), z[r]);
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

template <int kCount>
void accumulate_tile(const NetworkLayout& layout, const float* start, const InputChange* changes, int count,
                     int first, float* z) {
  __m512 tile[kCount];
  load_tile<kCount>(layout, start, changes, count, first, tile);
#pragma GCC unroll 25
  for (int r = 0; r < kCount; ++r) _mm512_store_ps(z + first + r * kWidth, tile[r]);
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

template <int kCount>
void output_tile(const NetworkLayout& layout, const float* start, const InputChange* changes, int count, int first,
                 __m512* sums) {
  __m512 tile[kCount];
  load_tile<kCount>(layout, start, changes, count, first, tile);
  const int full_groups = layout.hidden - layout.hidden % 8;
#pragma GCC unroll 25
  for (int r = 0; r < kCount; ++r) {
    const int unit = first + r * kWidth;
    const bool mixed = unit + kWidth > full_groups && unit < layout.hidden;
    const __m512 a = mixed ? mixed_sigmoid(tile[r], full_groups - unit) : full_sigmoid(tile[r]);
#pragma GCC unroll 5
    for (int k = 0; k < kOutputs; ++k)
      sums[k] = _mm512_fmadd_ps(a, _mm512_load_ps(layout.output + k * layout.stride + unit), sums[k]);
  }
}

}  // namespace

void accumulate_avx512(const NetworkLayout& layout, const float* start, const InputChange* changes, int count,
                       float* z) {
  if (layout.stride == kContactRegisters * kWidth)
    return accumulate_tile<kContactRegisters>(layout, start, changes, count, 0, z);
  for (int first = 0; first < layout.stride; first += kTile)
    accumulate_tile<kRegisters>(layout, start, changes, count, first, z);
}

void outputs_avx512(const NetworkLayout& layout, const float* start, const InputChange* changes, int count,
                    float* outputs) {
  __m512 sums[kOutputs];
  for (int k = 0; k < kOutputs; ++k) sums[k] = _mm512_setzero_ps();
  if (layout.stride == kContactRegisters * kWidth) {
    output_tile<kContactRegisters>(layout, start, changes, count, 0, sums);
  } else {
    for (int first = 0; first < layout.stride; first += kTile)
      output_tile<kRegisters>(layout, start, changes, count, first, sums);
  }
  for (int k = 0; k < kOutputs; ++k) outputs[k] = layout.output_bias[k] + _mm512_reduce_add_ps(sums[k]);
}

}  // namespace botd::sage
#endif
