// One-sided bear-off database: exact distributions of the number of rolls that a side still needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "rules/board.hpp"
#include "rules/probabilities.hpp"

namespace botd::sage {

// Both bars are empty and all checkers are home or off on both sides.
[[nodiscard]] bool all_home(const Board& board);

// Immutable after construction.
class BearoffDatabase {
 public:
  // Throws DataError if the file is missing or damaged (header, sums, order of the tables).
  explicit BearoffDatabase(const std::filesystem::path& path);

  // The outcome of an all_home() board, seen by the own side. Backgammons cannot happen any more.
  [[nodiscard]] Probabilities opponent_to_roll(const Board& board) const;
  [[nodiscard]] Probabilities own_side_to_roll(const Board& board) const;

 private:
  [[nodiscard]] Probabilities outcome(const Board& board, bool own_rolls) const;

  std::vector<std::uint16_t> rolls_;        // probability x 65535 of being off in exactly k rolls, 32 a position
  std::vector<std::uint16_t> nothing_off_;  // probability x 65535 of nobody off after k rolls, 32 a position
};

}  // namespace botd::sage
