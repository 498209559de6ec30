// Rollouts: positions played out many times, with dice that are the same for all positions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cube/match_equity.hpp"
#include "rollout/dice.hpp"
#include "rollout/settings.hpp"
#include "rollout/sums.hpp"
#include "rollout/trial.hpp"
#include "search/decisions.hpp"
#include "search/workspace_pool.hpp"

namespace botd::rollout {

// A rollout's answer to the question whether to double.
struct Result {
  std::uint64_t trials = 0;
  CubeEquities cube;
  double no_double_error = 0.0;    // standard errors, in the units of the equities
  double double_take_error = 0.0;
  double cubeless_equity_error = 0.0;
  std::array<double, 5> probability_errors{};
  // What a trial's values are multiplied by in the equities, up to a constant.
  std::array<double, 2> weights{};
};

// The trials of one position. The first two half-moves of all of them are played once, when it is made.
//
// A trial's outcome is a pure function of evaluator, position, settings and number; sums of trials do not depend on
// how they were divided among runs and threads. Immutable; runs may go on at once.
class Rollout {
 public:
  static constexpr std::uint64_t kMaxTrials = 1'000'000'000;

  // Evaluators as Sources names them, kept as long as this lives.
  struct Evaluators {
    std::shared_ptr<const StaticSource> full;
    std::shared_ptr<const StaticSource> networks;
    std::string name{};  // of the evaluator, its files and its CPU path: sums of different ones are not mixed
  };

  // board: seen by the side on roll, `state` likewise; the game is not over. Throws std::invalid_argument for
  // impossible input, DeadlineExceeded.
  Rollout(Evaluators evaluators, const MatchEquityTable& table, const Board& board, const CubeState& state,
          const Settings& settings, int threads, const Deadline& deadline);
  Rollout(const Rollout&) = delete;
  Rollout& operator=(const Rollout&) = delete;

  // The trials with these numbers. Throws std::invalid_argument, DeadlineExceeded.
  [[nodiscard]] Sums run(std::uint64_t first_trial, std::uint64_t count, int threads, const Deadline& deadline) const;

  // What trials, at least one, say. Equities as CubeEquities has them.
  [[nodiscard]] Result result(const Sums& sums) const;

 private:
  [[nodiscard]] Sources sources() const { return {*evaluators_.full, *evaluators_.networks}; }
  void play_opening(int threads, const Deadline& deadline);

  Evaluators evaluators_;
  MatchEquityTable table_;
  std::shared_ptr<const Origin> origin_;
  mutable WorkspacePool pool_;
  // Trials after the first two half-moves (or when they were over), by first and second roll.
  std::vector<std::array<Trial, kRolls.size()>> opening_;
};

}  // namespace botd::rollout
