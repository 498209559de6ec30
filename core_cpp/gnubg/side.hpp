// A position as two sides, each with its own numbering, the form in which the evaluator's rules are stated.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "rules/board.hpp"

namespace botd::gnubg {

inline constexpr int kBar = 24;

// Index i (0..23) is this side's point i + 1, index 24 its bar. Index i of one side is the same place as index
// 23 - i of the other. Words hold one bit per index.
struct Side {
  std::array<std::uint8_t, 25> count{};
  std::uint32_t occupied = 0;  // one checker or more
  std::uint32_t blots = 0;     // exactly one
  std::uint32_t made = 0;      // two or more
  int checkers = 0;

  [[nodiscard]] int operator[](int i) const { return count[static_cast<std::size_t>(i)]; }
  [[nodiscard]] int bar() const { return count[kBar]; }

  // Index of the rearmost checker, -1 without checkers.
  [[nodiscard]] int back() const { return 31 - std::countl_zero(occupied); }
};

struct Position {
  Side roller;  // the side on roll: the board's own side
  Side other;
};

[[nodiscard]] Position position_of(const Board& on_roll);

inline constexpr std::uint32_t kPointBits = 0xFFFFFFU;

// Bits 0..23 of one side's word in the other side's numbering; the bar is left out.
[[nodiscard]] constexpr std::uint32_t seen_by_other(std::uint32_t word) {
  word = ((word >> 1) & 0x55555555U) | ((word & 0x55555555U) << 1);
  word = ((word >> 2) & 0x33333333U) | ((word & 0x33333333U) << 2);
  word = ((word >> 4) & 0x0F0F0F0FU) | ((word & 0x0F0F0F0FU) << 4);
  word = ((word >> 8) & 0x00FF00FFU) | ((word & 0x00FF00FFU) << 8);
  word = (word >> 16) | (word << 16);
  return word >> 8;
}

// Highest set bit, -1 for an empty word.
[[nodiscard]] constexpr int highest(std::uint32_t word) { return 31 - std::countl_zero(word); }

[[nodiscard]] constexpr std::uint32_t bit(int i) { return 1U << i; }

// Bits first..last (0 <= first; empty if first > last; last <= 30).
[[nodiscard]] constexpr std::uint32_t bits(int first, int last) {
  return first > last ? 0U : ((1U << (last + 1)) - 1U) & ~((1U << first) - 1U);
}

// Checkers on the indices first..last.
[[nodiscard]] int checkers_on(const Side& side, int first, int last);

}  // namespace botd::gnubg
