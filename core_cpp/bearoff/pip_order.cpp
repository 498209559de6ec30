#include "bearoff/pip_order.hpp"

#include "bearoff/index.hpp"

namespace botd::bearoff {
namespace {

std::size_t pips_of(std::uint32_t index, int points) {
  const Counts counts = counts_of(index, points);
  std::size_t pips = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) pips += (i + 1) * static_cast<std::size_t>(counts[i]);
  return pips;
}

}  // namespace

PipOrder::PipOrder(int points, int checkers)
    : indices_(position_count(points, checkers)),
      starts_(static_cast<std::size_t>(points) * static_cast<std::size_t>(checkers) + 2) {
  const auto n = static_cast<std::uint32_t>(indices_.size());
  for (std::uint32_t index = 0; index < n; ++index) ++starts_[pips_of(index, points) + 1];
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (std::uint32_t index = 0; index < n; ++index) indices_[next[pips_of(index, points)]++] = index;
}

std::span<const std::uint32_t> PipOrder::level(int pips) const {
  const auto i = static_cast<std::size_t>(pips);
  return std::span(indices_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
}

}  // namespace botd::bearoff
