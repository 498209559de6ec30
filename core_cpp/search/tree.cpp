#include "search/tree.hpp"

#include <algorithm>
#include <cassert>

namespace botd {
namespace {

constexpr double kTie = 1e-6;                // equities closer than this are decided by cubeless equity
constexpr std::size_t kPreselectAbove = 16;  // candidates
constexpr std::size_t kPreselected = 15;
constexpr std::size_t kPreselectedBelowRoot = 14;
constexpr double kGameOver = 1e9;  // above every rough value
constexpr std::size_t kInitialSlots = 1024;

}  // namespace

void BoardIndex::clear() {
  boards_.clear();
  if (++generation_ == 0) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    generation_ = 1;
  }
}

std::uint32_t BoardIndex::insert(const Board& board) {
  if (2 * (boards_.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash_value(board) & mask;
  for (; slots_[at].generation == generation_; at = (at + 1) & mask) {
    if (boards_[slots_[at].index] == board) return slots_[at].index;
  }
  slots_[at] = {generation_, static_cast<std::uint32_t>(boards_.size())};
  boards_.push_back(board);
  return slots_[at].index;
}

void BoardIndex::grow() {
  slots_.assign(std::max(kInitialSlots, 2 * slots_.size()), Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < boards_.size(); ++i) {
    std::size_t at = hash_value(boards_[i]) & mask;
    while (slots_[at].generation == generation_) at = (at + 1) & mask;
    slots_[at] = {generation_, i};
  }
}

void NodeMemo::clear() {
  if (++generation_ == 0) {
    entries_.clear();
    generation_ = 1;
  }
}

const NodeMemo::Entry* NodeMemo::find(const Board& board, std::size_t level) const {
  if (entries_.empty()) return nullptr;
  const std::size_t first = hash_value(board) % (kEntries / kProbes) * kProbes;
  for (std::size_t i = first; i < first + kProbes; ++i) {
    const Entry& entry = entries_[i];
    if (entry.generation == generation_ && entry.level == level && entry.board == board) return &entry;
  }
  return nullptr;
}

void NodeMemo::store(const Board& board, std::size_t level, std::span<const double> values,
                     const Probabilities& p) {
  if (values.size() > kMaxValues) return;
  if (entries_.empty()) entries_.resize(kEntries);
  const std::size_t first = hash_value(board) % (kEntries / kProbes) * kProbes;
  std::size_t at = first + kProbes - 1;  // a full group gives up its last entry
  for (std::size_t i = first; i < first + kProbes; ++i) {
    if (entries_[i].generation != generation_) {
      at = i;
      break;
    }
  }
  Entry& entry = entries_[at];
  entry.board = board;
  entry.level = static_cast<std::uint16_t>(level);
  entry.generation = generation_;
  entry.probabilities = p;
  std::copy(values.begin(), values.end(), entry.values.begin());
}

TreePlan::TreePlan(std::span<const CubeState> root_states, int depth, bool root_expands,
                   const MatchEquityTable& table) {
  assert(depth >= 1 && !root_states.empty());
  std::vector<std::optional<CubeState>> states(root_states.begin(), root_states.end());
  const auto valued = [&table](const std::optional<CubeState>& state) {
    return state ? std::optional<CubeValue>(CubeValue(*state, table)) : std::nullopt;
  };
  for (int i = 0; i < depth; ++i) {
    Level& level = levels_.emplace_back();
    level.expands = root_expands || i > 0;
    std::vector<std::optional<CubeState>> expanded;
    for (const auto& state : states) {
      level.states.push_back(valued(state));
      expanded.push_back(state);
      if (!level.expands) continue;
      expanded.push_back(state && may_double(*state) ? std::optional<CubeState>(doubled(*state))
                                                     : std::nullopt);
    }
    states.clear();
    for (const auto& state : expanded) {
      level.expanded.push_back(valued(state));
      states.push_back(state ? std::optional<CubeState>(other_side(*state)) : std::nullopt);
    }
  }
}

Tree::Tree(const StaticSource& source, const TreePlan& plan, const TreeOptions& options,
           const Deadline& deadline, TreeWorkspace& workspace)
    : source_(source),
      plan_(plan),
      options_(options),
      deadline_(deadline),
      workspace_(workspace),
      scoring_(plan.level(0).states.front()->state().scoring) {
  workspace_.memo_.clear();
  while (workspace_.frames_.size() < static_cast<std::size_t>(plan.depth())) {
    workspace_.frames_.push_back(std::make_unique<Frame>());
  }
}

Probabilities Tree::run(const Board& board, std::span<double> values) { return node(board, 0, values); }

Probabilities Tree::run_successor(const Board& board, std::span<double> values) {
  return node(board, 1, values);
}

Tree::Expansion Tree::expand_root(const Board& board) {
  Expansion expansion;
  if (game_result(board) != 0) return expansion;
  Frame& frame = *workspace_.frames_[0];
  expand(board, 0, frame);
  expansion.count = frame.chosen_count;
  expansion.of_roll = frame.of_roll;
  for (std::size_t k = 0; k < frame.chosen_count; ++k) {
    expansion.boards[k] = mirrored(frame.boards.boards()[frame.chosen[k]]);
  }
  return expansion;
}

Probabilities Tree::node(const Board& board, std::size_t level, std::span<double> values) {
  if (const int result = game_result(board, scoring_); result != 0) return finished(result, level, values);
  const int remaining = plan_.depth() - static_cast<int>(level);
  if (remaining == 1) {
    const Board post_move = mirrored(board);
    Probabilities p;
    source_.evaluate_pinned({&post_move, 1}, options_.pinned, post_move, {&p, 1}, workspace_.scratch());
    return leaf(board, inverted(p), level, values);
  }
  // Roots and their successors are each visited once: only nodes further below are worth keeping.
  const bool memoised = level > 1;
  if (memoised) {
    if (const NodeMemo::Entry* entry = workspace_.memo_.find(board, level)) {
      std::copy_n(entry->values.begin(), values.size(), values.begin());
      return entry->probabilities;
    }
  }
  const Probabilities p = search(board, level, values);
  if (memoised) workspace_.memo_.store(board, level, values, p);
  return p;
}

Probabilities Tree::finished(int result, std::size_t level, std::span<double> values) const {
  const auto& states = plan_.level(level).states;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i]) values[i] = result > 0 ? states[i]->won(result) : states[i]->lost(-result);
  }
  return terminal_probabilities(result);
}

Probabilities Tree::leaf(const Board& board, const Probabilities& pre_roll, std::size_t level,
                         std::span<double> values) const {
  const Probabilities p = source_.clamped(pre_roll, board);
  const double efficiency = cube_efficiency(board);
  const DropCosts costs = drop_costs(board, scoring_);
  const TreePlan::Level& plan = plan_.level(level);
  const auto value_of = [&](std::size_t i) { return plan.expanded[i]->value(p, efficiency, costs); };
  for (std::size_t i = 0; i < plan.states.size(); ++i) {
    if (!plan.states[i]) continue;
    const std::size_t at = plan.expands ? 2 * i : i;
    values[i] = value_of(at);
    if (plan.expands && plan.expanded[at + 1]) {
      values[i] = collapsed(*plan.states[i], values[i], value_of(at + 1), costs.opponent);
    }
  }
  return p;
}

void Tree::collapse(const Board& board, std::span<const double> expanded_values, std::size_t level,
                    std::span<double> values) const {
  const int pass_cost = drop_costs(board, scoring_).opponent;
  const TreePlan::Level& plan = plan_.level(level);
  for (std::size_t i = 0; i < plan.states.size(); ++i) {
    if (!plan.states[i]) continue;
    const std::size_t at = plan.expands ? 2 * i : i;
    values[i] = plan.expands && plan.expanded[at + 1]
                    ? collapsed(*plan.states[i], expanded_values[at], expanded_values[at + 1], pass_cost)
                    : expanded_values[at];
  }
}

void Tree::preselect(bool race, std::size_t kept, Frame& frame) const {
  frame.ranked.clear();
  for (std::size_t i = 0; i < frame.plays.size(); ++i) {
    const Board& board = frame.plays[i];
    const double value = game_result(board) != 0 ? kGameOver : source_.rough_value(board, race);
    frame.ranked.emplace_back(value, static_cast<std::uint32_t>(i));
  }
  std::sort(frame.ranked.begin(), frame.ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  frame.ranked.resize(kept);
}

void Tree::collect_candidates(const Board& board, std::size_t level, Frame& frame) const {
  const bool race = options_.preselect != Preselect::kNowhere && is_race(board);
  const bool below_root = options_.preselect == Preselect::kBelowRoot;
  const bool preselects = options_.preselect == Preselect::kEverywhere || (below_root && level > 0 && !race);
  frame.boards.clear();
  frame.candidates.clear();
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    frame.roll_start[r] = frame.candidates.size();
    legal_boards(board, kRolls[r].die1, kRolls[r].die2, frame.plays);
    if (frame.plays.empty()) {
      frame.candidates.push_back(frame.boards.insert(board));
    } else if (preselects && frame.plays.size() > kPreselectAbove) {
      preselect(race, below_root ? kPreselectedBelowRoot : kPreselected, frame);
      for (const auto& [value, play] : frame.ranked) {
        frame.candidates.push_back(frame.boards.insert(frame.plays[play]));
      }
    } else {
      for (const Board& play : frame.plays) frame.candidates.push_back(frame.boards.insert(play));
    }
  }
  frame.roll_start[kRolls.size()] = frame.candidates.size();
}

std::uint32_t Tree::choose(std::span<const std::uint32_t> candidates, const CubeValue& state,
                           Frame& frame) const {
  if (candidates.size() == 1) return candidates.front();
  double highest = -kGameOver;
  for (const std::uint32_t index : candidates) {
    Candidate& candidate = frame.valued[index];
    if (!candidate.known) {
      const Probabilities& p = frame.statics[index];
      const Board& board = frame.boards.boards()[index];
      candidate.equity =
          state.equity(state.value(p, cube_efficiency(board), drop_costs(board, scoring_)));
      candidate.cubeless = cubeless_equity(p);
      candidate.known = true;
    }
    highest = std::max(highest, candidate.equity);
  }
  const Candidate* best = nullptr;
  std::uint32_t chosen = candidates.front();
  for (const std::uint32_t index : candidates) {
    const Candidate& candidate = frame.valued[index];
    if (candidate.equity < highest - kTie) continue;
    if (best == nullptr || candidate.cubeless > best->cubeless) {
      best = &candidate;
      chosen = index;
    }
  }
  return chosen;
}

void Tree::expand(const Board& board, std::size_t level, Frame& frame) {
  deadline_.check();
  collect_candidates(board, level, frame);
  const std::span<const Board> boards = frame.boards.boards();
  frame.statics.resize(boards.size());
  source_.evaluate_pinned(boards, options_.pinned, board, frame.statics, workspace_.scratch());
  count_finished(boards, scoring_, frame.statics);
  frame.valued.assign(boards.size(), Candidate{});

  // The first state is never absent; it alone drives the plays.
  const CubeValue& driver = *plan_.level(level).states.front();
  frame.chosen_count = 0;
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    const auto candidates = std::span<const std::uint32_t>(frame.candidates)
                                .subspan(frame.roll_start[r], frame.roll_start[r + 1] - frame.roll_start[r]);
    const std::uint32_t chosen = choose(candidates, driver, frame);
    const auto end = frame.chosen.begin() + static_cast<std::ptrdiff_t>(frame.chosen_count);
    const auto seen = std::find(frame.chosen.begin(), end, chosen);
    frame.of_roll[r] = static_cast<std::uint8_t>(seen - frame.chosen.begin());
    if (seen == end) frame.chosen[frame.chosen_count++] = chosen;
  }
}

Probabilities Tree::search(const Board& board, std::size_t level, std::span<double> values) {
  Frame& frame = *workspace_.frames_[level];
  expand(board, level, frame);
  const std::span<const Board> boards = frame.boards.boards();
  const bool leaves = static_cast<int>(level) + 2 == plan_.depth();
  const std::size_t width = plan_.level(level).expanded.size();
  frame.child_values.resize(kRolls.size() * width);
  for (std::size_t k = 0; k < frame.chosen_count; ++k) {
    const auto row = std::span(frame.child_values).subspan(k * width, width);
    const std::uint32_t chosen = frame.chosen[k];
    const Board turned = mirrored(boards[chosen]);
    if (const int result = game_result(turned, scoring_); result != 0) {
      frame.child_probabilities[k] = finished(result, level + 1, row);
    } else if (leaves) {
      frame.child_probabilities[k] = leaf(turned, inverted(frame.statics[chosen]), level + 1, row);
    } else {
      frame.child_probabilities[k] = node(turned, level + 1, row);
    }
  }
  RollValues by_roll;
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    const std::size_t k = frame.of_roll[r];
    by_roll[r] = {&frame.child_values[k * width], &frame.child_probabilities[k]};
  }
  return fold(board, level, by_roll, values);
}

Probabilities Tree::fold(const Board& board, std::size_t level, const RollValues& by_roll,
                         std::span<double> values) {
  Frame& frame = *workspace_.frames_[level];
  const TreePlan::Level& plan = plan_.level(level);
  const std::size_t width = plan.expanded.size();
  std::array<double, 5> sums{};
  frame.sums.assign(width, 0.0);
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    const double ways = kRolls[r].ways;
    for (std::size_t i = 0; i < width; ++i) {
      // The next level values our expanded states from the other side.
      if (plan.expanded[i]) frame.sums[i] += ways * plan.expanded[i]->other_side(by_roll[r].values[i]);
    }
    const Probabilities& p = *by_roll[r].probabilities;
    sums[0] += ways * p.win;
    sums[1] += ways * p.win_gammon;
    sums[2] += ways * p.win_backgammon;
    sums[3] += ways * p.lose_gammon;
    sums[4] += ways * p.lose_backgammon;
  }
  for (double& sum : frame.sums) sum /= 36.0;
  collapse(board, frame.sums, level, values);
  const auto mean = [&sums](std::size_t i) { return static_cast<float>(sums[i] / 36.0); };
  return inverted({mean(0), mean(1), mean(2), mean(3), mean(4)});
}

}  // namespace botd
