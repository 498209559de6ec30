#include "bearoff/pip_order.hpp"

#include "bearoff/index.hpp"

namespace botd::bearoff {

int pips_of(std::uint32_t index, int points) {
  const Counts counts = counts_of(index, points);
  int pips = 0;
  for (int i = 0; i < points; ++i) pips += (i + 1) * counts[static_cast<std::size_t>(i)];
  return pips;
}

PipOrder::PipOrder(int points, int checkers)
    : indices_(position_count(points, checkers)),
      starts_(static_cast<std::size_t>(points) * static_cast<std::size_t>(checkers) + 2) {
  const auto n = static_cast<std::uint32_t>(indices_.size());
  const auto level_of = [points](std::uint32_t index) {
    return static_cast<std::size_t>(pips_of(index, points));
  };
  for (std::uint32_t index = 0; index < n; ++index) ++starts_[level_of(index) + 1];
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (std::uint32_t index = 0; index < n; ++index) indices_[next[level_of(index)]++] = index;
}

std::span<const std::uint32_t> PipOrder::levels(int least, int most) const {
  const std::size_t begin = starts_[static_cast<std::size_t>(least)];
  return std::span(indices_).subspan(begin, starts_[static_cast<std::size_t>(most) + 1] - begin);
}

}  // namespace botd::bearoff
