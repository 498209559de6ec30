#ifdef BOTD_X86
// GCC 12 takes the deliberately undefined registers inside its own intrinsics for mistakes (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "fast/prune_hits.hpp"

namespace botd::fast {
namespace {

// The mixed rolls; a pair of zeroes moves nobody and hits nothing.
alignas(64) constexpr std::int32_t kDie1[16] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 0};
alignas(64) constexpr std::int32_t kDie2[16] = {2, 3, 4, 5, 6, 3, 4, 5, 6, 4, 5, 6, 5, 6, 6, 0};
alignas(32) constexpr std::int32_t kDoubles[8] = {1, 2, 3, 4, 5, 6, 0, 0};

// The place of the lowest blot is the exponent of its bit as a number; 25 less that is lost.
constexpr int kExponentOfBar = 127 + 25;

}  // namespace

PruneHits prune_hits_avx512(std::uint32_t movers, std::uint32_t blots, std::uint32_t made) {
  const __m512i from = _mm512_set1_epi32(static_cast<int>(movers));
  const __m512i targets = _mm512_set1_epi32(static_cast<int>(blots));
  const __m512i closed = _mm512_set1_epi32(static_cast<int>(made));
  const __m512i die1 = _mm512_load_si512(kDie1);
  const __m512i die2 = _mm512_load_si512(kDie2);
  const __m512i first = _mm512_andnot_si512(closed, _mm512_sllv_epi32(from, die1));
  const __m512i second = _mm512_andnot_si512(closed, _mm512_sllv_epi32(from, die2));
  const __m512i both = _mm512_or_si512(_mm512_sllv_epi32(first, die2), _mm512_sllv_epi32(second, die1));
  const __m512i hit = _mm512_and_si512(targets, _mm512_or_si512(both, _mm512_or_si512(first, second)));
  const __mmask16 any = _mm512_test_epi32_mask(hit, hit);
  const __m512i lowest = _mm512_and_si512(hit, _mm512_sub_epi32(_mm512_setzero_si512(), hit));
  const __m512i exponent = _mm512_srli_epi32(_mm512_castps_si512(_mm512_cvtepi32_ps(lowest)), 23);
  const __m512i lost = _mm512_maskz_sub_epi32(any, _mm512_set1_epi32(kExponentOfBar), exponent);

  const __m256i closed_d = _mm512_castsi512_si256(closed);
  const __m256i die = _mm256_load_si256(reinterpret_cast<const __m256i*>(kDoubles));
  __m256i at = _mm512_castsi512_si256(from);
  __m256i reached = _mm256_setzero_si256();
#pragma GCC unroll 4
  for (int step = 0; step < 4; ++step) {
    at = _mm256_andnot_si256(closed_d, _mm256_sllv_epi32(at, die));
    reached = _mm256_or_si256(reached, at);
  }
  const __m256i hit_d = _mm256_and_si256(_mm512_castsi512_si256(targets), reached);
  const __mmask8 any_d = _mm256_test_epi32_mask(hit_d, hit_d);
  const __m256i lowest_d = _mm256_and_si256(hit_d, _mm256_sub_epi32(_mm256_setzero_si256(), hit_d));
  const __m256i exponent_d = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(lowest_d)), 23);
  const __m256i lost_d = _mm256_maskz_sub_epi32(any_d, _mm256_set1_epi32(kExponentOfBar), exponent_d);

  // A mixed roll comes in two ways.
  const __m256i mixed = _mm256_add_epi32(_mm512_castsi512_si256(lost), _mm512_extracti64x4_epi64(lost, 1));
  const __m256i pips = _mm256_add_epi32(_mm256_add_epi32(mixed, mixed), lost_d);
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(pips), _mm256_extracti128_si256(pips, 1));
  sum = _mm_add_epi32(sum, _mm_unpackhi_epi64(sum, sum));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 1));
  return {2 * __builtin_popcount(any) + __builtin_popcount(any_d), _mm_cvtsi128_si32(sum)};
}

}  // namespace botd::fast
#endif
