// Combinatorial index of what one side has left to bear off.
//
// Positions are numbered by rank: fewer checkers first, and among equally many by the counts from the ace
// point up. The number depends on how many points there are but not on the largest number of checkers, and
// every play leads to a smaller one. (GNU Backgammon's databases are sorted like this.)
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "rules/board.hpp"

namespace botd::bearoff {

inline constexpr int kMaxPoints = 18;  // so that indices of fifteen checkers fit into 32 bits

// Checkers on points 1, 2, ...; zero on those beyond the points of the index.
using Counts = std::array<int, kMaxPoints>;

// C(points + checkers, points): positions with at most `checkers` checkers on points 1..points, all off
// included. Points 1..18, checkers 0..15.
[[nodiscard]] std::uint32_t position_count(int points, int checkers);

// Index of counts[0] checkers on point 1 and so on; the length of the span is the number of points (1..18).
// At most fifteen checkers in all, none negative.
[[nodiscard]] std::uint32_t position_index(std::span<const int> counts);

// The inverse. The index must be below position_count(points, 15).
[[nodiscard]] Counts counts_of(std::uint32_t index, int points);

// The own side's and the opposing side's index, each counted from its own bear-off end. The side must have
// all its checkers on its first `points` points or off.
[[nodiscard]] std::uint32_t own_index(const Board& board, int points);
[[nodiscard]] std::uint32_t opponent_index(const Board& board, int points);

// Whether a database with this many points and checkers has both sides of a game that is not over: no
// contact, nobody on the bar, and each side with 1..checkers checkers, all on its first `points` points.
[[nodiscard]] bool covers(const Board& board, int points, int checkers);

}  // namespace botd::bearoff
