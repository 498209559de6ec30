// Positions grouped by pip count: every play leads into an earlier group, so a group can be solved in any
// order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace botd::bearoff {

[[nodiscard]] int pips_of(std::uint32_t index, int points);

class PipOrder {
 public:
  // All positions of 0..checkers checkers on `points` points.
  PipOrder(int points, int checkers);

  [[nodiscard]] int most() const { return static_cast<int>(starts_.size()) - 2; }
  // Indices of the positions with this many pips, 0..most(), ascending.
  [[nodiscard]] std::span<const std::uint32_t> level(int pips) const { return levels(pips, pips); }
  // Those with `least` to `most` pips, in the order of their pips.
  [[nodiscard]] std::span<const std::uint32_t> levels(int least, int most) const;

 private:
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint32_t> starts_;
};

}  // namespace botd::bearoff
