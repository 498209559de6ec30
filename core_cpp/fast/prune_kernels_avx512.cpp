#ifdef BOTD_X86
// GCC 12 takes the deliberately undefined registers inside its own intrinsics for mistakes (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "fast/prune_kernels.hpp"

namespace botd::fast {
namespace {

constexpr __mmask32 kBoardBytes = 0x3FFFFFFU;

inline __m512i row(const std::int16_t* numbers) { return _mm512_load_si512(numbers); }

// kTiles 0: any number of tiles, one after the other; else all at once.
template <int kTiles>
void sums_of(const PruneLayout& layout, const PruneBase& base, const std::int8_t* boards,
             const std::uint8_t* features, std::size_t count, std::int32_t* sums) {
  constexpr int kAtOnce = kTiles == 0 ? 1 : kTiles;
  const long stride = kTiles == 0 ? layout.stride : kTiles * kPruneTile;
  const __m256i base_board = _mm256_maskz_loadu_epi8(kBoardBytes, base.board);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int8_t* board = boards + i * kPrunePlaces;
    const __m256i bytes = _mm256_maskz_loadu_epi8(kBoardBytes, board);
    const std::uint32_t places = _mm256_cmpneq_epi8_mask(bytes, base_board);
    const std::uint8_t* rows = features + i * kPruneRowsOfBoard;
    __m512i sum = _mm512_setzero_si512();
    for (long first = 0; first < stride; first += kAtOnce * kPruneTile) {
      __m512i z[kAtOnce];
#pragma GCC unroll 8
      for (int r = 0; r < kAtOnce; ++r) z[r] = row(base.hidden + first + r * kPruneTile);
      const auto change = [&z](const std::int16_t* added, const std::int16_t* removed) {
#pragma GCC unroll 8
        for (int r = 0; r < kAtOnce; ++r)
          z[r] = _mm512_sub_epi16(_mm512_add_epi16(z[r], row(added + r * kPruneTile)), row(removed + r * kPruneTile));
      };
      for (std::uint32_t left = places; left != 0; left &= left - 1) {
        const long p = __builtin_ctz(left);
        const std::int16_t* empty = layout.places + (p * kPruneContents + kPruneZeroContent) * stride + first;
        change(empty + board[p] * stride, empty + base.board[p] * stride);
      }
#pragma GCC unroll 5
      for (int f = 0; f < kPruneRowsOfBoard; ++f) {
        const std::int16_t* added = layout.features + rows[f] * stride + first;
#pragma GCC unroll 8
        for (int r = 0; r < kAtOnce; ++r) z[r] = _mm512_add_epi16(z[r], row(added + r * kPruneTile));
      }
#pragma GCC unroll 8
      for (int r = 0; r < kAtOnce; ++r) {
        const __m512i a = _mm512_max_epi16(z[r], _mm512_setzero_si512());
        sum = _mm512_add_epi32(sum, _mm512_madd_epi16(a, row(layout.output + first + r * kPruneTile)));
      }
    }
    sums[i] = _mm512_reduce_add_epi32(sum);
  }
}

}  // namespace

void prune_sums_avx512(const PruneLayout& layout, const PruneBase& base, const std::int8_t* boards,
                       const std::uint8_t* features, std::size_t count, std::int32_t* sums) {
  switch (layout.stride / kPruneTile) {
    case 1:
      return sums_of<1>(layout, base, boards, features, count, sums);
    case 2:
      return sums_of<2>(layout, base, boards, features, count, sums);
    case 4:
      return sums_of<4>(layout, base, boards, features, count, sums);
    case 8:
      return sums_of<8>(layout, base, boards, features, count, sums);
    default:
      return sums_of<0>(layout, base, boards, features, count, sums);
  }
}

}  // namespace botd::fast
#endif
