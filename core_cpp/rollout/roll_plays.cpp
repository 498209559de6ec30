#include "rollout/roll_plays.hpp"

#include <algorithm>

namespace botd::rollout {
namespace {

constexpr double kTie = 1e-6;  // equities closer than this are decided by cubeless equity

}  // namespace

void RollPlays::look(const Board& board, Scoring scoring, std::optional<std::size_t> only_roll,
                     StaticSource::Scratch& scratch) {
  scoring_ = scoring;
  efficiency_ = cube_efficiency(board);
  boards_.clear();
  candidates_.clear();
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    start_[r] = candidates_.size();
    if (only_roll && *only_roll != r) continue;
    legal_boards(board, kRolls[r].die1, kRolls[r].die2, plays_);
    if (plays_.empty()) candidates_.push_back(boards_.insert(board));
    for (const Board& play : plays_) candidates_.push_back(boards_.insert(play));
  }
  start_[kRolls.size()] = candidates_.size();

  const std::span<const Board> boards = boards_.boards();
  const int network = sources_.networks.route(board);
  statics_.resize(boards.size());
  sources_.networks.evaluate(boards, network, board, statics_, scratch);
  count_finished(boards, scoring, statics_);
  exact_.assign(boards.size(), std::nullopt);
  any_exact_ = false;
  for (std::size_t i = 0; i < boards.size(); ++i) {
    if (!sources_.full.exact(boards[i]) || game_result(boards[i]) != 0) continue;
    Probabilities p;
    sources_.full.evaluate(boards.subspan(i, 1), network, board, {&p, 1}, scratch);
    exact_[i] = sources_.full.clamped(p, boards[i]);
    any_exact_ = true;
  }
}

Probabilities RollPlays::value(std::uint32_t index) const {
  if (exact_[index]) return *exact_[index];
  return sources_.networks.clamped(statics_[index], board(index));
}

double RollPlays::equity(const Probabilities& p, std::uint32_t index, const CubeValue& cube) const {
  return cube.equity(cube.value(p, efficiency_, drop_costs(board(index), scoring_)));
}

double RollPlays::equity(std::uint32_t index, const CubeValue& cube) const {
  return equity(sources_.networks.clamped(statics_[index], board(index)), index, cube);
}

std::uint32_t RollPlays::best_by_networks(std::size_t roll, const CubeValue& cube) {
  const std::span<const std::uint32_t> all = candidates(roll);
  if (all.size() == 1) return all.front();
  equities_.clear();
  for (const std::uint32_t index : all) equities_.push_back(equity(index, cube));
  const double limit = *std::max_element(equities_.begin(), equities_.end()) - kTie;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (equities_[i] >= limit && (!best || cubeless(all[i]) > cubeless(all[*best]))) best = i;
  }
  return all[best.value_or(0)];
}

double RollPlays::known_equity(std::uint32_t index, const CubeValue& cube) const {
  return equity(value(index), index, cube);
}

bool RollPlays::all_known(std::size_t roll) const {
  if (!any_exact_) return false;
  const std::span<const std::uint32_t> all = candidates(roll);
  return std::all_of(all.begin(), all.end(), [this](std::uint32_t index) {
    return exact_[index] || game_result(board(index)) != 0;
  });
}

std::uint32_t RollPlays::best_known(std::size_t roll, const CubeValue& cube) {
  if (!all_known(roll)) return best_by_networks(roll, cube);
  const std::span<const std::uint32_t> all = candidates(roll);
  return *std::max_element(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
    return known_equity(a, cube) < known_equity(b, cube);
  });
}

std::uint32_t RollPlays::best_cubeless(std::size_t roll) const {
  const std::span<const std::uint32_t> all = candidates(roll);
  return *std::max_element(all.begin(), all.end(), [this](std::uint32_t a, std::uint32_t b) {
    const auto of = [this](std::uint32_t index) {
      return cubeless_equity(exact_[index] ? *exact_[index] : statics_[index]);
    };
    return of(a) < of(b);
  });
}

}  // namespace botd::rollout
