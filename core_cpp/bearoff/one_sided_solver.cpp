#include "bearoff/one_sided_solver.hpp"

#include <algorithm>
#include <array>

#include "bearoff/bearoff_moves.hpp"
#include "bearoff/index.hpp"
#include "bearoff/pip_order.hpp"
#include "rules/moves.hpp"

namespace botd::bearoff {
namespace {

constexpr unsigned kRolls36 = 36;
constexpr std::size_t kChunk = 64;  // positions that a thread takes at a time

constexpr Distribution kAtOnce = {kCertain};

// Average of 36 rolls, each one roll later than its value, rounded so that the sum stays 65535.
class Average {
 public:
  void add(const Distribution& values, unsigned ways) {
    for (std::size_t k = 1; k < kRollCounts; ++k) sums_[k] += ways * values[k - 1];
  }

  void finish(Distribution& values, std::uint32_t& mean) const {
    unsigned total = 0;
    for (std::size_t k = 0; k < kRollCounts; ++k) {
      values[k] = static_cast<std::uint16_t>((sums_[k] + kRolls36 / 2) / kRolls36);
      total += values[k];
    }
    auto& largest = *std::max_element(values.begin(), values.end());  // the first of equal ones
    largest = static_cast<std::uint16_t>(largest + kCertain - total);
    mean = 0;
    for (std::size_t k = 0; k < kRollCounts; ++k) mean += static_cast<std::uint32_t>(k) * values[k];
  }

 private:
  std::array<std::uint32_t, kRollCounts> sums_{};
};

}  // namespace

std::uint64_t OneSidedSolution::memory_needed(int points, int checkers, bool gammons) {
  const std::uint64_t all = position_count(points, checkers);
  const std::uint64_t full =
      gammons && checkers == kCheckers ? all - position_count(points, kCheckers - 1) : 0;
  return (all + full) * sizeof(Solved) + all * sizeof(std::uint32_t);
}

OneSidedSolution::OneSidedSolution(int points, int checkers, bool gammons, const WorkOptions& options)
    : points_(points),
      first_full_(position_count(points, kCheckers - 1)),
      all_off_(position_count(points, checkers)) {
  if (gammons && positions() > first_full_) first_off_.resize(positions() - first_full_);
  all_off_[0].values = kAtOnce;
  const PipOrder order(points, checkers);
  Work work(options, positions());
  for (int pips = 1; pips <= order.most(); ++pips) {
    const auto level = order.level(pips);
    work.stage(level.size(), kChunk, [&](std::size_t i) { solve(level[i]); });
  }
}

const Distribution& OneSidedSolution::first_off(std::uint32_t index) const {
  return index < first_full_ ? kAtOnce : first_off_[index - first_full_].values;
}

void OneSidedSolution::solve(std::uint32_t index) {
  const Counts counts = counts_of(index, points_);
  const bool gammon = index >= first_full_ && !first_off_.empty();
  const auto points = static_cast<std::size_t>(points_);
  Average all_off;
  Average first_off;
  for (const Roll& roll : kRolls) {
    constexpr std::uint32_t kNone = UINT32_MAX;
    std::uint32_t best = kNone;
    std::uint32_t best_mean = kNone;
    std::uint32_t best_gammon = kNone;
    std::uint32_t best_gammon_mean = kNone;
    std::uint32_t previous = kNone;
    for_each_play(counts, points_, roll.die2, roll.die1, [&](const Counts& result) {
      const std::uint32_t next = position_index(std::span(result).first(points));
      if (next == previous) return;
      previous = next;
      if (const std::uint32_t mean = all_off_[next].mean; mean < best_mean) {
        best = next;
        best_mean = mean;
      }
      if (!gammon) return;
      const std::uint32_t mean = next < first_full_ ? 0 : first_off_[next - first_full_].mean;
      if (mean < best_gammon_mean) {
        best_gammon = next;
        best_gammon_mean = mean;
      }
    });
    const auto ways = static_cast<unsigned>(roll.ways);
    all_off.add(all_off_[best].values, ways);
    if (gammon) first_off.add(this->first_off(best_gammon), ways);
  }
  all_off.finish(all_off_[index].values, all_off_[index].mean);
  if (gammon) first_off.finish(first_off_[index - first_full_].values, first_off_[index - first_full_].mean);
}

}  // namespace botd::bearoff
