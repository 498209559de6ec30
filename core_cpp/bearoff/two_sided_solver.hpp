// Exact money equities, computed for all pairs of positions of a size.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bearoff/work.hpp"

namespace botd::bearoff {

// Both sides with 0..checkers checkers on `points` points.
class TwoSidedSolution {
 public:
  // Of the side on roll, as the file has them: (equity + 1) * 32767.5. Cubeless, cube owned, centred,
  // opponent's.
  using Values = std::array<std::uint16_t, 4>;

  // Computes everything.
  TwoSidedSolution(int points, int checkers, const WorkOptions& options);

  [[nodiscard]] std::uint32_t positions() const { return positions_; }
  [[nodiscard]] const Values& at(std::uint32_t own, std::uint32_t opponent) const {
    return values_[static_cast<std::size_t>(own) * positions_ + opponent];
  }
  // All of them; the side on roll's index is the slow one.
  [[nodiscard]] const std::vector<Values>& values() const { return values_; }

  // Bytes of the tables, about.
  [[nodiscard]] static std::uint64_t memory_needed(int points, int checkers);

 private:
  void list_plays(int points);
  void solve(std::uint32_t own, std::uint32_t opponent);

  std::uint32_t positions_;
  std::vector<Values> values_;
  // Results of roll r from position i: plays_[starts_[21 * i + r]] up to the next start, without repetition.
  std::vector<std::uint32_t> plays_;
  std::vector<std::size_t> starts_;
};

}  // namespace botd::bearoff
