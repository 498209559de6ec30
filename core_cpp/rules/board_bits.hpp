// Words of bits over the 26 places of a board: bit i for index i, as in Board::points.
#pragma once

#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "rules/board.hpp"

namespace botd {

inline constexpr std::uint32_t kAllPoints = 0x01FFFFFEU;     // 1..24
inline constexpr std::uint32_t kOwnHome = 0x0000007EU;       // 1..6
inline constexpr std::uint32_t kOpponentHome = 0x01F80000U;  // 19..24

// The places that hold more than `n`, as signed numbers; `n` from -16 to 15.
[[nodiscard]] inline std::uint32_t places_above(const Board& board, int n) {
#ifdef __SSE2__
  // Two registers, the second from index 10 on, cover the 26 places exactly.
  const __m128i limit = _mm_set1_epi8(static_cast<char>(n));
  const auto above = [&](const std::int8_t* from) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(v, limit)));
  };
  return above(board.points.data()) | (above(board.points.data() + 10) << 10);
#else
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < board.points.size(); ++i) word |= static_cast<std::uint32_t>(board[i] > n) << i;
  return word;
#endif
}

// The places that hold less than `n`.
[[nodiscard]] inline std::uint32_t places_below(const Board& board, int n) {
  return ~places_above(board, n - 1) & 0x03FFFFFFU;
}

// The places at which the boards differ.
[[nodiscard]] inline std::uint32_t different_places(const Board& a, const Board& b) {
#ifdef __SSE2__
  const auto equal = [&](std::size_t from) {
    const auto at = [from](const Board& board) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(board.points.data() + from));
    };
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(at(a), at(b))));
  };
  return ~(equal(0) | (equal(10) << 10)) & 0x03FFFFFFU;
#else
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < a.points.size(); ++i) word |= static_cast<std::uint32_t>(a[i] != b[i]) << i;
  return word;
#endif
}

}  // namespace botd
