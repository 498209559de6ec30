// The plays of a position's rolls with their static values, and which of them is chosen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cube/cube_value.hpp"
#include "rules/moves.hpp"
#include "search/static_source.hpp"
#include "search/tree.hpp"

namespace botd::rollout {

// Evaluators of a rollout. `networks` is the same as `full` but knows no bear-off database: choices among plays
// are made without it.
struct Sources {
  const StaticSource& full;
  const StaticSource& networks;
};

// Every value is seen by the side that plays. Memory is used again.
class RollPlays {
 public:
  explicit RollPlays(const Sources& sources) : sources_(sources) {}

  // The plays of all rolls (those of one roll) from a board, whose game is not over. All of them are judged by the
  // network that the board itself belongs to.
  void look(const Board& board, Scoring scoring, std::optional<std::size_t> only_roll, StaticSource::Scratch& scratch);

  [[nodiscard]] std::size_t candidate_count(std::size_t roll) const { return start_[roll + 1] - start_[roll]; }
  // Results by their place in boards(), in the order of their generation.
  [[nodiscard]] std::span<const std::uint32_t> candidates(std::size_t roll) const {
    return std::span(candidates_).subspan(start_[roll], candidate_count(roll));
  }
  [[nodiscard]] const Board& board(std::uint32_t index) const { return boards_.boards()[index]; }

  // Clamped value of a result; exact where it is known.
  [[nodiscard]] Probabilities value(std::uint32_t index) const;

  // Best with a cube, by the networks alone; equities within 1e-6 are decided by cubeless equity.
  [[nodiscard]] std::uint32_t best_by_networks(std::size_t roll, const CubeValue& cube);
  // The same, but by the database where it knows all results of the roll.
  [[nodiscard]] std::uint32_t best_known(std::size_t roll, const CubeValue& cube);
  // Best without a cube, by the database where it knows a result and else by the networks.
  [[nodiscard]] std::uint32_t best_cubeless(std::size_t roll) const;

  // The database knows all results of the roll.
  [[nodiscard]] bool all_known(std::size_t roll) const;
  // Cubeful equity of a result, clamped: by the networks, or as it is known.
  [[nodiscard]] double equity(std::uint32_t index, const CubeValue& cube) const;
  [[nodiscard]] double known_equity(std::uint32_t index, const CubeValue& cube) const;
  [[nodiscard]] double cubeless(std::uint32_t index) const { return cubeless_equity(statics_[index]); }

 private:
  [[nodiscard]] double equity(const Probabilities& p, std::uint32_t index, const CubeValue& cube) const;

  Sources sources_;
  Scoring scoring_ = Scoring::kStandard;
  double efficiency_ = 0.0;
  BoardList plays_;
  BoardIndex boards_;
  std::vector<std::uint32_t> candidates_;
  std::array<std::size_t, kRolls.size() + 1> start_{};
  std::vector<Probabilities> statics_;                // by the networks, not clamped
  std::vector<std::optional<Probabilities>> exact_;   // by the database, clamped
  bool any_exact_ = false;
  std::vector<double> equities_;                      // of candidates, while one roll's best is sought
};

}  // namespace botd::rollout
