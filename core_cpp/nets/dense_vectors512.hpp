// Vectors of 512 bits for dense_loops.hpp; included by files compiled for AVX-512 only.
#pragma once

// GCC 12 takes the deliberately undefined registers inside its own intrinsics for mistakes (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <bit>

#include "nets/dense_loops.hpp"

namespace botd::nets {
namespace {

struct Vectors512 {
  static constexpr std::size_t kWidth = 16;
  static constexpr std::size_t kVectors = 4;
  using Float = __m512;
  using Int = __m512i;

  static Float zero() { return _mm512_setzero_ps(); }
  static Int zero_int() { return _mm512_setzero_si512(); }
  static Float broadcast(float x) { return _mm512_set1_ps(x); }
  static Int broadcast_int(std::int32_t pair) { return _mm512_set1_epi32(pair); }
  static Float load(const float* from) { return _mm512_load_ps(from); }
  static Int load_int(const std::int16_t* from) { return _mm512_load_si512(from); }
  static void store(float* to, Float x) { _mm512_store_ps(to, x); }
  static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
  static Float multiply(Float a, Float b) { return _mm512_mul_ps(a, b); }
  static Float multiply_add(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }
  static Float positive(Float x) { return _mm512_max_ps(x, _mm512_setzero_ps()); }
  static Float to_float(Int x) { return _mm512_cvtepi32_ps(x); }
  static Int add_pairs(Int sums, Int a, Int b) { return _mm512_add_epi32(sums, _mm512_madd_epi16(a, b)); }
  static void store_rounded(std::int16_t* to, Float x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(x)));
  }
};

// Sixteen columns at a time. Stores whole vectors: there must be room for sixteen more.
inline std::size_t active_columns512(const std::int32_t* const* in, std::size_t boards, std::size_t columns,
                                     std::uint32_t* active, std::int32_t* const* values) {
  constexpr std::size_t kWidth = Vectors512::kWidth;
  std::size_t count = 0;
  __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (std::size_t c = 0; c < columns; c += kWidth) {
    __m512i found[kGroup];
    __m512i any = _mm512_setzero_si512();
    for (std::size_t m = 0; m < boards; ++m) {
      found[m] = _mm512_load_si512(in[m] + c);
      any = _mm512_or_si512(any, found[m]);
    }
    const __mmask16 mask = _mm512_test_epi32_mask(any, any);
    _mm512_storeu_si512(active + count, _mm512_maskz_compress_epi32(mask, numbers));
    for (std::size_t m = 0; m < boards; ++m)
      _mm512_storeu_si512(values[m] + count, _mm512_maskz_compress_epi32(mask, found[m]));
    count += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(mask)));
    numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(kWidth));
  }
  return count;
}

// The bits of a float that is not zero are not all zero, and there is no negative zero behind a ReLU or in an input.
inline std::size_t active_floats512(const float* const* in, std::size_t boards, std::size_t columns,
                                    std::uint32_t* active, float* const* values) {
  constexpr std::size_t kWidth = Vectors512::kWidth;
  std::size_t count = 0;
  __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (std::size_t c = 0; c < columns; c += kWidth) {
    __m512 found[kGroup];
    __m512i any = _mm512_setzero_si512();
    for (std::size_t m = 0; m < boards; ++m) {
      found[m] = _mm512_load_ps(in[m] + c);
      any = _mm512_or_si512(any, _mm512_castps_si512(found[m]));
    }
    const __mmask16 mask = _mm512_test_epi32_mask(any, any);
    _mm512_storeu_si512(active + count, _mm512_maskz_compress_epi32(mask, numbers));
    for (std::size_t m = 0; m < boards; ++m)
      _mm512_storeu_ps(values[m] + count, _mm512_maskz_compress_ps(mask, found[m]));
    count += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(mask)));
    numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(kWidth));
  }
  return count;
}

template <class V>
constexpr DenseKernels kernels512(const char* name) {
  DenseKernels kernels = loops::kernels<V>(name);
  kernels.float_columns = active_floats512;
  kernels.pair_columns = active_columns512;
  return kernels;
}

}  // namespace
}  // namespace botd::nets
