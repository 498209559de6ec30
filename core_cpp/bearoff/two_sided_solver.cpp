#include "bearoff/two_sided_solver.hpp"

#include <algorithm>
#include <utility>

#include "bearoff/bearoff_moves.hpp"
#include "bearoff/index.hpp"
#include "bearoff/pip_order.hpp"
#include "rules/moves.hpp"

namespace botd::bearoff {
namespace {

constexpr std::size_t kChunk = 4;  // positions of one side that a thread takes at a time

constexpr int kWon = 32767;
constexpr int kLost = -32768;
constexpr int kOffset = 32768;  // from an equity to its stored value

constexpr std::size_t kCubeless = 0;
constexpr std::size_t kOwned = 1;
constexpr std::size_t kCentered = 2;
constexpr std::size_t kOpponent = 3;

using Equities = std::array<int, 4>;

// The other side's view; -32768..32767 has no zero in the middle.
constexpr int other_side(int equity) { return -equity - 1; }

// A side that may double: no_double as it stands, double_take in units of the doubled cube; passing costs one
// unit.
constexpr int with_double(int no_double, int double_take) {
  if (double_take >= no_double / 2 && kWon >= no_double)
    return double_take >= kWon / 2 ? kWon : 2 * double_take;
  return no_double;
}

Equities equities_of(const TwoSidedSolution::Values& values) {
  Equities out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[i] - kOffset;
  return out;
}

TwoSidedSolution::Values values_of(int equity) {
  TwoSidedSolution::Values out{};
  out.fill(static_cast<std::uint16_t>(equity + kOffset));
  return out;
}

}  // namespace

std::uint64_t TwoSidedSolution::memory_needed(int points, int checkers) {
  const std::uint64_t n = position_count(points, checkers);
  constexpr std::uint64_t kPlays = 21 * 12 * sizeof(std::uint32_t);  // a dozen results a roll, generously
  return n * n * sizeof(Values) + n * kPlays;
}

TwoSidedSolution::TwoSidedSolution(int points, int checkers, const WorkOptions& options)
    : positions_(position_count(points, checkers)),
      values_(static_cast<std::size_t>(positions_) * positions_) {
  list_plays(points);
  for (std::uint32_t i = 0; i < positions_; ++i)
    values_[i] = values_of(kWon);  // the side on roll has no checkers
  for (std::uint32_t i = 1; i < positions_; ++i)
    values_[static_cast<std::size_t>(i) * positions_] = values_of(kLost);
  const PipOrder order(points, checkers);
  // A play lowers the pips of the two sides together, so all pairs with the same sum can be solved at once.
  // Each side has a part of it between these two.
  const auto bounds = [&order](int pips) {
    const int least = std::max(1, pips - order.most());
    return std::pair(least, pips - least);
  };
  std::uint64_t total = 0;
  for (int pips = 2; pips <= 2 * order.most(); ++pips) {
    const auto [least, most] = bounds(pips);
    total += order.levels(least, most).size();
  }
  Work work(options, total);
  for (int pips = 2; pips <= 2 * order.most(); ++pips) {
    const auto [least, most] = bounds(pips);
    const auto own = order.levels(least, most);
    work.stage(own.size(), kChunk, [&](std::size_t i) {
      for (const std::uint32_t opponent : order.level(pips - pips_of(own[i], points)))
        solve(own[i], opponent);
    });
  }
}

void TwoSidedSolution::list_plays(int points) {
  starts_.push_back(0);
  for (std::uint32_t index = 0; index < positions_; ++index) {
    const Counts counts = counts_of(index, points);
    for (const Roll& roll : kRolls) {
      const auto begin = static_cast<std::ptrdiff_t>(plays_.size());
      for_each_play(counts, points, roll.die1, roll.die2, [&](const Counts& result) {
        plays_.push_back(position_index(std::span(result).first(static_cast<std::size_t>(points))));
      });
      std::sort(plays_.begin() + begin, plays_.end());
      plays_.erase(std::unique(plays_.begin() + begin, plays_.end()), plays_.end());
      starts_.push_back(plays_.size());
    }
  }
}

void TwoSidedSolution::solve(std::uint32_t own, std::uint32_t opponent) {
  Equities sums{};
  const Values* records = values_.data() + static_cast<std::size_t>(opponent) * positions_;
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    Equities best{};
    best.fill(kLost);
    const std::size_t first = own * kRolls.size() + r;
    for (std::size_t i = starts_[first]; i < starts_[first + 1]; ++i) {
      const Equities after = equities_of(records[plays_[i]]);  // the opponent on roll
      best[kCubeless] = std::max(best[kCubeless], other_side(after[kCubeless]));
      best[kOwned] = std::max(best[kOwned], other_side(after[kOpponent]));
      best[kCentered] =
          std::max(best[kCentered], other_side(with_double(after[kCentered], after[kOpponent])));
      best[kOpponent] = std::max(best[kOpponent], other_side(with_double(after[kOwned], after[kOpponent])));
    }
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += kRolls[r].ways * best[k];
  }
  Values& out = values_[static_cast<std::size_t>(own) * positions_ + opponent];
  for (std::size_t k = 0; k < sums.size(); ++k) out[k] = static_cast<std::uint16_t>(sums[k] / 36 + kOffset);
}

}  // namespace botd::bearoff
