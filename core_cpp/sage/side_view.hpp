// A position as words of bits, once from each side.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "rules/board.hpp"

namespace botd::sage {

// Words use bit i for point i (1..24) of this side's own numbering; the other side's checkers are given in
// the same numbering.
struct SideView {
  std::uint32_t occupied = 0;        // this side has one or more checkers
  std::uint32_t made = 0;            // two or more
  std::uint32_t their_blots = 0;     // the other side has exactly one
  std::uint32_t their_made = 0;      // two or more
  std::array<std::uint8_t, 26> count{};  // own checkers on 1..24, on the bar at 25; [0] is 0
  int their_bar = 0;
  int off = 0;  // borne off
  int pips = 0;

  [[nodiscard]] int bar() const { return count[kOwnBar]; }
  [[nodiscard]] std::uint32_t their_occupied() const { return their_blots | their_made; }
  [[nodiscard]] std::uint32_t blots() const { return occupied & ~made; }
};

struct PositionView {
  SideView own;
  SideView opponent;
  bool race = false;
};

[[nodiscard]] PositionView view_of(const Board& board);

// Bits first..last (0 <= first, last <= 31; empty if first > last).
[[nodiscard]] constexpr std::uint32_t bits(int first, int last) {
  if (first > last) return 0;
  const std::uint32_t up_to_last = last >= 31 ? ~0U : (1U << (last + 1)) - 1U;
  return up_to_last & ~((1U << first) - 1U);
}

inline constexpr std::uint32_t kPointBits = bits(1, kPoints);

// Point i becomes 25 - i.
[[nodiscard]] constexpr std::uint32_t reversed_points(std::uint32_t word) {
  word = ((word >> 1) & 0x55555555U) | ((word & 0x55555555U) << 1);
  word = ((word >> 2) & 0x33333333U) | ((word & 0x33333333U) << 2);
  word = ((word >> 4) & 0x0F0F0F0FU) | ((word & 0x0F0F0F0FU) << 4);
  word = ((word >> 8) & 0x00FF00FFU) | ((word & 0x00FF00FFU) << 8);
  word = (word >> 16) | (word << 16);
  return word >> 6;
}

// Largest set bit, 0 for an empty word (bit 0 is never used).
[[nodiscard]] constexpr int highest(std::uint32_t word) { return 31 - std::countl_zero(word | 1U); }
// Smallest set bit, `none` for an empty word.
[[nodiscard]] constexpr int lowest(std::uint32_t word, int none) {
  return word == 0 ? none : std::countr_zero(word);
}

// What a checker of the other side on its own-numbering point n + 1 (n = 0..24; 24 is the bar) has before it
// when `made` are the points that this side holds, in this side's numbering. Indexes an EscapeTable.
[[nodiscard]] constexpr std::size_t escape_mask(std::uint32_t made, int n) { return (made >> (25 - n)) & 0xFFFU; }

// Own checkers on the points first..last (1 <= first; 25 is the bar).
[[nodiscard]] inline int checkers(const SideView& side, int first, int last) {
  // Eight counts to a word; a side has too few checkers for a sum to run into the next.
  std::uint64_t sums = last >= kOwnBar ? static_cast<std::uint64_t>(side.bar()) : 0;
  for (int start = 1; start <= kPoints; start += 8) {
    const int skipped = first > start ? first - start : 0;
    const int end = last < start + 7 ? last - start + 1 : 8;
    if (skipped >= end) continue;
    std::uint64_t word = 0;
    std::memcpy(&word, side.count.data() + start, sizeof word);
    sums += (word >> (8 * skipped)) << (8 * (8 - end + skipped));
  }
  return static_cast<int>((sums * 0x0101010101010101U) >> 56);
}

// Length of the longest run of consecutive set bits.
[[nodiscard]] int longest_run(std::uint32_t word);

}  // namespace botd::sage
