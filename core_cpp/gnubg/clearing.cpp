#include "gnubg/clearing.hpp"

#include "bearoff/index.hpp"
#include "rules/moves.hpp"

namespace botd::gnubg {
namespace {

using Counts = std::array<int, kClearingDistances>;

// As many rolls as can happen: a roll moves three pips at least.
constexpr std::size_t kAllRolls = kMostToClear * kClearingDistances / 3;
// Like ClearingRolls, but none left out.
using AllRolls = std::array<std::uint64_t, kAllRolls>;

std::uint32_t index_of(const Counts& counts) { return bearoff::position_index(counts); }

double mean(const AllRolls& rolls) {
  double sum = 0.0;
  double scale = 1.0;
  for (std::size_t k = 0; k < rolls.size(); ++k) {
    scale *= 36.0;
    sum += static_cast<double>(k + 1) * static_cast<double>(rolls[k]) / scale;
  }
  return sum;
}

// The best that can be reached with a roll. Every play leads to a smaller index, whose mean is known already.
class BestPlay {
 public:
  explicit BestPlay(const std::vector<double>& means) : means_(means) {}

  // Index after the best play of dice[0], dice[1], ...
  void try_dice(Counts counts, std::span<const int> dice) {
    bool moved = false;
    if (!dice.empty()) {
      for (int distance = kClearingDistances; distance >= 1; --distance) {
        auto& from = counts[static_cast<std::size_t>(distance - 1)];
        if (from == 0) continue;
        moved = true;
        const int to = distance - dice.front();
        --from;
        if (to > 0) ++counts[static_cast<std::size_t>(to - 1)];
        try_dice(counts, dice.subspan(1));
        if (to > 0) --counts[static_cast<std::size_t>(to - 1)];
        ++from;
      }
    }
    if (moved) return;
    const std::uint32_t index = index_of(counts);
    const double rolls = means_[index];
    if (found_ && rolls >= mean_) return;
    found_ = true;
    mean_ = rolls;
    index_ = index;
  }

  [[nodiscard]] std::uint32_t index() const { return index_; }

 private:
  const std::vector<double>& means_;
  bool found_ = false;
  double mean_ = 0.0;
  std::uint32_t index_ = 0;
};

std::uint32_t best_play(const std::vector<double>& means, const Counts& counts, int die1, int die2) {
  BestPlay best(means);
  if (die1 == die2) {
    best.try_dice(counts, std::array{die1, die1, die1, die1});
  } else {
    best.try_dice(counts, std::array{die1, die2});
    best.try_dice(counts, std::array{die2, die1});
  }
  return best.index();
}

// By combinatorial index.
std::vector<AllRolls> all_rolls() {
  std::vector<AllRolls> table(bearoff::position_count(kClearingDistances, kMostToClear));
  std::vector<double> means(table.size());  // 0 for all cleared
  for (std::uint32_t i = 1; i < table.size(); ++i) {
    const bearoff::Counts all = bearoff::counts_of(i, kClearingDistances);
    Counts counts;
    for (std::size_t d = 0; d < counts.size(); ++d) counts[d] = all[d];
    for (const Roll& roll : kRolls) {
      const auto ways = static_cast<std::uint64_t>(roll.ways);
      const std::uint32_t next = best_play(means, counts, roll.die1, roll.die2);
      if (next == 0) {
        table[i][0] += ways;
      } else {
        for (std::size_t k = 1; k < kAllRolls; ++k) table[i][k] += ways * table[next][k - 1];
      }
    }
    means[i] = mean(table[i]);
  }
  return table;
}

}  // namespace

ClearingTable::ClearingTable() {
  for (const AllRolls& all : all_rolls()) {
    ClearingRolls rolls{};
    std::uint64_t rest = 1;  // 36^k times the chance of more rolls
    for (std::size_t k = 0; k < rolls.size(); ++k) {
      rest *= 36;
      rolls[k] = k + 1 < rolls.size() ? all[k] : rest;
      rest -= rolls[k];
    }
    rolls_.push_back(rolls);
  }
}

const ClearingRolls& ClearingTable::rolls(std::span<const int, kClearingDistances> counts) const {
  return rolls_[bearoff::position_index(counts)];
}

}  // namespace botd::gnubg
