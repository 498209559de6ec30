#ifdef BOTD_X86
#include <immintrin.h>

#include "nets/dense_loops.hpp"

namespace botd::nets {
namespace {

struct Avx2 {
  static constexpr std::size_t kWidth = 8;
  static constexpr std::size_t kVectors = 2;
  using Float = __m256;
  using Int = __m256i;

  static Float zero() { return _mm256_setzero_ps(); }
  static Int zero_int() { return _mm256_setzero_si256(); }
  static Float broadcast(float x) { return _mm256_set1_ps(x); }
  static Int broadcast_int(std::int32_t pair) { return _mm256_set1_epi32(pair); }
  static Float load(const float* from) { return _mm256_load_ps(from); }
  static Int load_int(const std::int16_t* from) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(from)); }
  static void store(float* to, Float x) { _mm256_store_ps(to, x); }
  static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
  static Float multiply(Float a, Float b) { return _mm256_mul_ps(a, b); }
  static Float multiply_add(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
  static Float positive(Float x) { return _mm256_max_ps(x, _mm256_setzero_ps()); }
  static Float to_float(Int x) { return _mm256_cvtepi32_ps(x); }
  static Int add_pairs(Int sums, Int a, Int b) { return _mm256_add_epi32(sums, _mm256_madd_epi16(a, b)); }
  static void store_rounded(std::int16_t* to, Float x) {
    const Int whole = _mm256_cvtps_epi32(x);
    const Int packed = _mm256_permute4x64_epi64(_mm256_packs_epi32(whole, whole), 0x08);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(packed));
  }
};

}  // namespace

constexpr DenseKernels kDenseAvx2 = loops::kernels<Avx2>("avx2");

}  // namespace botd::nets
#endif
