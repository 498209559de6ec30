// How many of the 36 rolls get past blocked points.
#pragma once

#include <array>
#include <cstdint>

#include "sage/side_view.hpp"

namespace botd::sage {

// Bit j of a mask: the point j + 1 pips ahead is blocked.
inline constexpr std::size_t kEscapeMasks = 4096;
using EscapeTable = std::array<std::uint8_t, kEscapeMasks>;

// Rolls that move both dice to an open point; doubles count as moving exactly two steps.
extern const EscapeTable kEscapes;
// The same, but beyond the first blocked point too; 0 where nothing is blocked.
extern const EscapeTable kEscapesPastBlock;

// What a checker of the other side on its own-numbering point n + 1 (n = 0..24; 24 is the bar) has before it
// when `made` are the points that this side holds, in this side's numbering.
[[nodiscard]] constexpr std::size_t escape_mask(std::uint32_t made, int n) { return (made >> (25 - n)) & 0xFFFU; }

}  // namespace botd::sage
