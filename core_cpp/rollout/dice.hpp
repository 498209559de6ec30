// The dice of rollouts: every trial's are known from its number alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace botd::rollout {

struct TrialRoll {
  int die1 = 1;
  int die2 = 1;

  friend bool operator==(const TrialRoll&, const TrialRoll&) = default;
};

// Stratified dice. Any 36 trials that begin at a multiple of 36 have each of the 36 first rolls once, any 1,296 that
// begin at a multiple of 1,296 each pair of first rolls once, and so on up to six rolls. Open Sage's dice.
class Dice {
 public:
  static constexpr int kStratifiedHalfMoves = 128;  // later rolls are drawn at random, from seed and trial

  explicit Dice(std::uint32_t seed);

  [[nodiscard]] std::uint32_t seed() const { return seed_; }

  // The roll of a trial at a half-move, counted from 0.
  [[nodiscard]] TrialRoll roll(std::uint64_t trial, int half_move) const;

 private:
  static constexpr std::size_t kLevels = 6;
  using Permutation = std::array<std::uint8_t, 36>;

  std::uint32_t seed_;
  std::array<std::array<Permutation, kStratifiedHalfMoves>, kLevels> permutations_{};
};

// Index in kRolls of a roll, the order of its dice being no matter.
[[nodiscard]] std::size_t roll_index(TrialRoll roll);

}  // namespace botd::rollout
