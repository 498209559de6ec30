// How many rolls a side needs to bring its last checkers out of the opponent's home.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace botd::gnubg {

inline constexpr int kClearingDistances = 5;
inline constexpr int kMostToClear = 6;
inline constexpr std::size_t kClearingRolls = 5;

// Entry k - 1: 36^k times the chance of exactly k rolls; the last entry counts longer ones too.
using ClearingRolls = std::array<std::uint64_t, kClearingRolls>;

// All arrangements of up to six checkers that are one to five pips away from leaving, each played with the fewest
// rolls on average: a checker leaves with any die that is large enough, else it moves nearer.
class ClearingTable {
 public:
  ClearingTable();

  // counts[d - 1]: checkers that need d pips, d = 1..5; one to six in all.
  [[nodiscard]] const ClearingRolls& rolls(std::span<const int, kClearingDistances> counts) const;

 private:
  std::vector<ClearingRolls> rolls_;  // by combinatorial index
};

}  // namespace botd::gnubg
