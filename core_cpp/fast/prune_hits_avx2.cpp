#ifdef BOTD_X86
#include <immintrin.h>

#include "fast/prune_hits.hpp"

namespace botd::fast {
namespace {

constexpr int kRegisters = 2;
// The mixed rolls; a pair of zeroes moves nobody and hits nothing.
alignas(32) constexpr std::int32_t kDie1[8 * kRegisters] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 0};
alignas(32) constexpr std::int32_t kDie2[8 * kRegisters] = {2, 3, 4, 5, 6, 3, 4, 5, 6, 4, 5, 6, 5, 6, 6, 0};
alignas(32) constexpr std::int32_t kDoubles[8] = {1, 2, 3, 4, 5, 6, 0, 0};

inline __m256i dice(const std::int32_t* numbers) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(numbers));
}

struct Sums {
  __m256i rolls = _mm256_setzero_si256();
  __m256i pips = _mm256_setzero_si256();

  // Rolls that hit these blots, the lowest the rearmost: its place is the exponent of its bit as a number.
  void add(__m256i hit, int ways_shift) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i any = _mm256_cmpgt_epi32(hit, zero);
    const __m256i lowest = _mm256_and_si256(hit, _mm256_sub_epi32(zero, hit));
    const __m256i exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(lowest)), 23);
    const __m256i lost = _mm256_and_si256(_mm256_sub_epi32(_mm256_set1_epi32(127 + 25), exponent), any);
    rolls = _mm256_add_epi32(rolls, _mm256_slli_epi32(_mm256_srli_epi32(any, 31), ways_shift));
    pips = _mm256_add_epi32(pips, _mm256_slli_epi32(lost, ways_shift));
  }
};

}  // namespace

PruneHits prune_hits_avx2(std::uint32_t movers, std::uint32_t blots, std::uint32_t made) {
  const __m256i from = _mm256_set1_epi32(static_cast<int>(movers));
  const __m256i targets = _mm256_set1_epi32(static_cast<int>(blots));
  const __m256i closed = _mm256_set1_epi32(static_cast<int>(made));
  Sums sums;
  for (int r = 0; r < kRegisters; ++r) {
    const __m256i die1 = dice(kDie1 + 8 * r);
    const __m256i die2 = dice(kDie2 + 8 * r);
    const __m256i first = _mm256_andnot_si256(closed, _mm256_sllv_epi32(from, die1));
    const __m256i second = _mm256_andnot_si256(closed, _mm256_sllv_epi32(from, die2));
    const __m256i both = _mm256_or_si256(_mm256_sllv_epi32(first, die2), _mm256_sllv_epi32(second, die1));
    sums.add(_mm256_and_si256(targets, _mm256_or_si256(both, _mm256_or_si256(first, second))), 1);
  }
  const __m256i die = dice(kDoubles);
  __m256i at = from;
  __m256i reached = _mm256_setzero_si256();
  for (int step = 0; step < 4; ++step) {
    at = _mm256_andnot_si256(closed, _mm256_sllv_epi32(at, die));
    reached = _mm256_or_si256(reached, at);
  }
  sums.add(_mm256_and_si256(targets, reached), 0);

  // Each pair of neighbours: rolls and pips side by side, then the two halves.
  const __m256i pairs = _mm256_hadd_epi32(sums.rolls, sums.pips);
  const __m128i halves = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  const __m128i both = _mm_hadd_epi32(halves, halves);
  return {_mm_cvtsi128_si32(both), _mm_extract_epi32(both, 1)};
}

}  // namespace botd::fast
#endif
