#ifdef BOTD_X86
#include <immintrin.h>

#include "fast/prune_kernels.hpp"

namespace botd::fast {
namespace {

constexpr int kWidth = 16;
constexpr int kRegisters = kPruneTile / kWidth;
// A board is 26 bytes: two loads of 16 that overlap.
constexpr int kSecondLoad = 10;

inline __m128i load(const std::int8_t* board) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(board)); }

inline __m256i row(const std::int16_t* numbers) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(numbers)); }

inline std::uint32_t differing_places(const std::int8_t* board, __m128i base_low, __m128i base_high) {
  const auto low = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(load(board), base_low)));
  const auto high =
      static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(load(board + kSecondLoad), base_high)));
  return ~(low | (high << kSecondLoad)) & 0x3FFFFFFU;
}

inline std::int32_t horizontal_sum(__m256i v) {
  __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  s = _mm_add_epi32(s, _mm_unpackhi_epi64(s, s));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 1));
  return _mm_cvtsi128_si32(s);
}

}  // namespace

void prune_sums_avx2(const PruneLayout& layout, const PruneBase& base, const std::int8_t* boards,
                     const std::uint8_t* features, std::size_t count, std::int32_t* sums) {
  const long stride = layout.stride;
  const __m128i base_low = load(base.board);
  const __m128i base_high = load(base.board + kSecondLoad);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int8_t* board = boards + i * kPrunePlaces;
    const std::uint8_t* rows = features + i * kPruneRowsOfBoard;
    const std::uint32_t places = differing_places(board, base_low, base_high);
    __m256i sum = _mm256_setzero_si256();
    for (long first = 0; first < stride; first += kPruneTile) {
      __m256i z[kRegisters];
      for (int r = 0; r < kRegisters; ++r) z[r] = row(base.hidden + first + r * kWidth);
      const auto change = [&z](const std::int16_t* added, const std::int16_t* removed) {
        for (int r = 0; r < kRegisters; ++r)
          z[r] = _mm256_sub_epi16(_mm256_add_epi16(z[r], row(added + r * kWidth)), row(removed + r * kWidth));
      };
      for (std::uint32_t left = places; left != 0; left &= left - 1) {
        const long p = __builtin_ctz(left);
        const std::int16_t* empty = layout.places + (p * kPruneContents + kPruneZeroContent) * stride + first;
        change(empty + board[p] * stride, empty + base.board[p] * stride);
      }
      for (int f = 0; f < kPruneRowsOfBoard; ++f) {
        const std::int16_t* added = layout.features + rows[f] * stride + first;
        for (int r = 0; r < kRegisters; ++r) z[r] = _mm256_add_epi16(z[r], row(added + r * kWidth));
      }
      for (int r = 0; r < kRegisters; ++r) {
        const __m256i a = _mm256_max_epi16(z[r], _mm256_setzero_si256());
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, row(layout.output + first + r * kWidth)));
      }
    }
    sums[i] = horizontal_sum(sum);
  }
}

}  // namespace botd::fast
#endif
