#include "rollout/rollout.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include "search/arguments.hpp"
#include "search/parallel.hpp"

namespace botd::rollout {
namespace {

constexpr std::size_t kOutcomes = 1296;  // trials whose outcomes are kept at a time

// One thread's memory.
struct Worker {
  Worker(const Sources& sources, const Settings& settings, const MatchEquityTable& table, int basis,
         const Deadline& limit, const std::stop_token& stop, WorkspacePool& pool)
      : lease(pool), deadline(limit, stop), player(sources, settings, table, basis, deadline, *lease) {}

  WorkspacePool::Lease lease;
  Deadline deadline;
  TrialPlayer player;
};

}  // namespace

Rollout::Rollout(Evaluators evaluators, const MatchEquityTable& table, const Board& board, const CubeState& state,
                 const Settings& settings, int threads, const Deadline& deadline)
    : evaluators_(std::move(evaluators)),
      table_(table),
      origin_(std::make_shared<const Origin>(Origin{evaluators_.name, board, state, settings})),
      pool_(*evaluators_.full) {
  check_question(board, state, 0);
  check_settings(settings);
  check_threads(threads);
  play_opening(threads, deadline);
}

void Rollout::play_opening(int threads, const Deadline& deadline) {
  opening_.resize(kRolls.size());
  Trial root;
  root.board = origin_->board;
  root.branches[0].state = origin_->state;
  root.branches[1].state = doubled(origin_->state);
  for_each_index(kRolls.size(), threads, [&](const std::stop_token& stop) {
    return [worker = std::make_unique<Worker>(sources(), origin_->settings, table_, origin_->state.value, deadline, stop, pool_), &root,
            this](std::size_t first) {
      TrialPlayer& player = worker->player;
      Trial trial = root;
      player.look(trial, first);
      player.play(trial, first);
      if (!trial.outcome) player.act(trial);
      if (!trial.outcome) player.look(trial, std::nullopt);
      for (std::size_t second = 0; second < kRolls.size(); ++second) {
        Trial& next = opening_[first][second] = trial;
        if (!next.outcome) player.play(next, second);
      }
    };
  });
}

Sums Rollout::run(std::uint64_t first_trial, std::uint64_t count, int threads, const Deadline& deadline) const {
  check_threads(threads);
  if (first_trial > kMaxTrials || count > kMaxTrials - first_trial) {
    throw std::invalid_argument("trials: expected at most " + std::to_string(kMaxTrials));
  }
  Sums sums(origin_);
  const Settings& settings = origin_->settings;
  std::optional<Dice> dice;
  std::vector<Outcome> outcomes;
  for (std::uint64_t done = 0; done < count; done += outcomes.size()) {
    const std::uint64_t batch = settings.batch_of(first_trial + done);
    const std::uint64_t before = batch * settings.batch;
    std::uint64_t size = std::min<std::uint64_t>(count - done, kOutcomes);
    if (settings.batch != 0) size = std::min(size, before + settings.batch - (first_trial + done));
    outcomes.resize(static_cast<std::size_t>(size));
    if (!dice || dice->seed() != settings.seed_of(batch)) dice.emplace(settings.seed_of(batch));
    for_each_index(outcomes.size(), threads, [&](const std::stop_token& stop) {
      return [worker = std::make_unique<Worker>(sources(), origin_->settings, table_, origin_->state.value, deadline, stop, pool_),
              &outcomes, &dice = *dice, first = first_trial + done - before, this](std::size_t i) {
        const std::uint64_t number = first + i;
        Trial trial = opening_[roll_index(dice.roll(number, 0))][roll_index(dice.roll(number, 1))];
        worker->player.finish(trial, dice, number);
        outcomes[i] = *trial.outcome;
      };
    });
    sums.add(first_trial + done, outcomes);
  }
  return sums;
}

Result Rollout::result(const Sums& sums) const {
  const std::uint64_t trials = sums.count();
  if (trials == 0) throw std::invalid_argument("rollout: expected at least one trial");
  const CubeState& state = origin_->state;
  const CubeValue value(state, table_);
  const bool money = state.is_money();
  const std::array<Sample, 2>& values = sums.values();
  const std::array<double, 2> native = {values[0].mean(trials), values[1].mean(trials) / (money ? 2.0 : 1.0)};
  Result result;
  result.trials = trials;
  result.cube = cube_equities(value, native, drop_costs(origin_->board, state.scoring).opponent);
  const double scale = money ? 1.0 : value.equity(1.0) - value.equity(0.0);
  result.weights = {scale, scale * (result.cube.beavers ? 2.0 : 1.0)};
  result.no_double_error = result.weights[0] * values[0].standard_error(trials);
  result.double_take_error = result.weights[1] * values[1].standard_error(trials);
  const std::array<Sample, Sums::kChances>& chances = sums.chances();
  const auto mean = [&](std::size_t i) { return static_cast<float>(chances[i].mean(trials)); };
  for (std::size_t i = 0; i < result.probability_errors.size(); ++i) {
    result.probability_errors[i] = chances[i].standard_error(trials);
  }
  result.cubeless_equity_error = chances.back().standard_error(trials);
  Probabilities p{mean(0), mean(1), mean(2), mean(3), mean(4)};
  if (evaluators_.full->exact(origin_->board)) {
    p = evaluators_.full->exact_pre_roll(origin_->board);
    result.probability_errors.fill(0.0);
    result.cubeless_equity_error = 0.0;
  }
  result.cube.cubeless_equity = cubeless_equity(p);
  result.cube.probabilities = evaluators_.full->nested(p);
  return result;
}

}  // namespace botd::rollout
