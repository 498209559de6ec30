#include "rollout/dice.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace botd::rollout {
namespace {

constexpr std::uint32_t kOrdered = 36;  // rolls, the order of the dice being looked at

TrialRoll roll_of(std::uint32_t index) {
  return {static_cast<int>(index / 6) + 1, static_cast<int>(index % 6) + 1};
}

}  // namespace

Dice::Dice(std::uint32_t seed) : seed_(seed) {
  std::mt19937 random(seed);
  for (std::size_t level = 0; level < kLevels; ++level) {
    for (std::size_t turn = level; turn < kStratifiedHalfMoves; ++turn) {
      Permutation& permutation = permutations_[level][turn];
      std::iota(permutation.begin(), permutation.end(), std::uint8_t{0});
      for (std::uint32_t k = 0; k + 1 < permutation.size(); ++k) {
        std::swap(permutation[k], permutation[k + random() % (kOrdered - k)]);
      }
    }
  }
}

TrialRoll Dice::roll(std::uint64_t trial, int half_move) const {
  if (half_move >= kStratifiedHalfMoves) {
    std::mt19937 random(static_cast<std::uint32_t>(seed_ + 1000003 * trial + 7));
    random.discard(static_cast<unsigned long long>(half_move - kStratifiedHalfMoves));
    return roll_of(static_cast<std::uint32_t>(random()) % kOrdered);
  }
  const auto turn = static_cast<std::size_t>(half_move);
  std::uint64_t index = 0;
  for (std::size_t level = 0; level <= std::min(kLevels - 1, turn); ++level) {
    index = permutations_[level][turn][(trial + index) % kOrdered];
    trial /= kOrdered;
  }
  return roll_of(static_cast<std::uint32_t>(index));
}

std::size_t roll_index(TrialRoll roll) {
  // In kRolls the doubles come first, then the others by their smaller and by their larger die.
  const auto low = static_cast<std::size_t>(std::min(roll.die1, roll.die2));
  const auto high = static_cast<std::size_t>(std::max(roll.die1, roll.die2));
  if (low == high) return low - 1;
  return 6 + (low - 1) * (12 - low) / 2 + (high - low - 1);
}

}  // namespace botd::rollout
