// Counting the tree of plays, the classical check of a move generator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rules/board.hpp"

namespace botd {

inline constexpr std::size_t kPerftMaxPositions = 8'000'000;

struct PerftCount {
  std::uint64_t leaves = 0;    // sequences of distinct plays
  std::uint64_t distinct = 0;  // different final positions
};

// Over the 21 different rolls at every level, each counted once. A roll that cannot be played passes; a
// finished game is a leaf. Throws std::length_error if a level has more than max_positions positions.
[[nodiscard]] PerftCount perft(const Board& board, int depth, std::size_t max_positions = kPerftMaxPositions);

}  // namespace botd
