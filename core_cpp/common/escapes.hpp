// How many of the 36 rolls get past blocked points.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace botd {

// Bit j of a mask: the point j + 1 pips ahead is blocked.
inline constexpr std::size_t kEscapeMasks = 4096;
using EscapeTable = std::array<std::uint8_t, kEscapeMasks>;

// Rolls that move both dice to an open point; doubles count as moving exactly two steps.
extern const EscapeTable kEscapes;
// The same, but beyond the first blocked point too; 0 where nothing is blocked.
extern const EscapeTable kEscapesPastBlock;

}  // namespace botd
