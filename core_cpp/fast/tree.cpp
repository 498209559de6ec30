#include "fast/tree.hpp"

#include <algorithm>
#include <cassert>

#include "rules/scoring.hpp"

namespace botd::fast {
namespace {

constexpr double kTie = 1e-6;  // equities closer than this are decided by the cubeless equity, as in exact mode
constexpr double kWays = 36.0;
constexpr std::uint32_t kLeftOut = ~0U;

}  // namespace

Tree::Tree(const ValueSource& source, const CubePlan& plan, const ReplyPruning& pruning, const Deadline& deadline,
           Workspace& workspace)
    : source_(source), plan_(plan), pruning_(pruning), deadline_(deadline), workspace_(workspace) {
  while (workspace_.frames_.size() < static_cast<std::size_t>(plan.depth())) {
    workspace_.frames_.push_back(std::make_unique<Frame>());
  }
}

Probabilities Tree::run(const Board& on_roll, std::span<double> values) { return node(on_roll, 0, values); }

Tree::Expansion Tree::expand_root(const Board& on_roll) {
  Expansion expansion;
  Frame& f = frame(0);
  choose(on_roll, 0, f);
  expansion.count = f.chosen_count;
  expansion.ways = f.ways;
  for (std::size_t k = 0; k < f.chosen_count; ++k) expansion.boards[k] = mirrored(f.kept[f.chosen[k]]);
  return expansion;
}

Probabilities Tree::run_branch(const Board& on_roll, std::size_t level, std::span<double> values) {
  const CubePlan::Level& above = plan_.level(level - 1);
  const Board post_move = mirrored(on_roll);
  if (source_.is_leaf(post_move, workspace_.scratch())) {
    double rating = 0.0;
    float tie = 0.0F;
    const Number number = 0;
    Probabilities p;
    const ValueSource::Place place{static_cast<int>(level)};
    source_.ratings({&post_move, 1}, post_move, *above.actual, place, {&rating, 1}, {&tie, 1}, workspace_.scratch());
    source_.values({&post_move, 1}, {&number, 1}, *above.leaves, values, {&p, 1}, workspace_.scratch());
    return p;
  }
  const Probabilities p = node(on_roll, level, values);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = above.expanded[i].other_side(values[i]);
  return inverted(p);
}

Probabilities Tree::node(const Board& on_roll, std::size_t level, std::span<double> values) {
  Frame& f = frame(level);
  choose(on_roll, level, f);
  const CubePlan::Level& plan = plan_.level(level);
  const std::size_t width = plan.expanded.size();
  const std::size_t count = f.chosen_count;
  f.values.resize(count * width);
  if (static_cast<int>(level) + 1 == plan_.depth()) {
    source_.values(f.kept, std::span(f.chosen).first(count), *plan.leaves, f.values,
                   std::span(f.probabilities).first(count), workspace_.scratch());
  } else {
    for (std::size_t k = 0; k < count; ++k) {
      f.probabilities[k] = run_branch(mirrored(f.kept[f.chosen[k]]), level + 1,
                                      std::span(f.values).subspan(k * width, width));
    }
  }
  std::array<Branch, kRolls.size()> branches;
  for (std::size_t k = 0; k < count; ++k) {
    branches[k] = {std::span(f.values).subspan(k * width, width), &f.probabilities[k], f.ways[k]};
  }
  return fold(on_roll, level, std::span(branches).first(count), values);
}

Probabilities Tree::fold(const Board& on_roll, std::size_t level, std::span<const Branch> branches,
                         std::span<double> values) {
  Frame& f = frame(level);
  const std::size_t width = plan_.level(level).expanded.size();
  std::array<double, 5> outcomes{};
  f.sums.assign(width, 0.0);
  for (const Branch& branch : branches) {
    const double ways = branch.ways;
    for (std::size_t i = 0; i < width; ++i) f.sums[i] += ways * branch.values[i];
    const Probabilities& p = *branch.probabilities;
    outcomes[0] += ways * p.win;
    outcomes[1] += ways * p.win_gammon;
    outcomes[2] += ways * p.win_backgammon;
    outcomes[3] += ways * p.lose_gammon;
    outcomes[4] += ways * p.lose_backgammon;
  }
  for (double& sum : f.sums) sum /= kWays;
  const Scoring scoring = plan_.level(0).expanded.front().state().scoring;
  plan_.collapse(level, f.sums, drop_costs(on_roll, scoring).opponent, values);
  const auto mean = [&outcomes](std::size_t i) { return static_cast<float>(outcomes[i] / kWays); };
  return {mean(0), mean(1), mean(2), mean(3), mean(4)};
}

void Tree::choose(const Board& on_roll, std::size_t level, Frame& f) {
  deadline_.check();
  collect(on_roll, f);
  f.kept.clear();
  f.kept_as.assign(f.boards.boards().size(), kLeftOut);
  if (pruning_.prunes()) {
    keep_best(on_roll, f);
  } else {
    keep_all(f);
  }
  f.ratings.resize(f.kept.size());
  f.ties.resize(f.kept.size());
  const ValueSource::Place place{static_cast<int>(level) + 1};
  source_.ratings(f.kept, on_roll, *plan_.level(level).actual, place, f.ratings, f.ties, workspace_.scratch());

  const CubeValue& actual = plan_.level(level).expanded.front();
  const double tie = actual.state().is_money() ? kTie : kTie * (actual.won(1) - actual.lost(1)) / 2.0;
  f.chosen_count = 0;
  f.ways.fill(0);
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    const auto candidates =
        std::span<const Number>(f.candidates).subspan(f.roll_start[r], f.roll_start[r + 1] - f.roll_start[r]);
    double highest = -1e30;
    for (const Number number : candidates) {
      if (f.kept_as[number] != kLeftOut) highest = std::max(highest, f.ratings[f.kept_as[number]]);
    }
    Number best = kLeftOut;
    for (const Number number : candidates) {
      const Number at = f.kept_as[number];
      if (at == kLeftOut || f.ratings[at] < highest - tie) continue;
      if (best == kLeftOut || f.ties[at] > f.ties[best]) best = at;
    }
    const auto end = f.chosen.begin() + static_cast<std::ptrdiff_t>(f.chosen_count);
    const auto seen = std::find(f.chosen.begin(), end, best);
    const auto k = static_cast<std::size_t>(seen - f.chosen.begin());
    if (seen == end) f.chosen[f.chosen_count++] = best;
    f.ways[k] = static_cast<std::uint8_t>(f.ways[k] + kRolls[r].ways);
  }
}

void Tree::collect(const Board& on_roll, Frame& f) const {
  f.boards.clear();
  f.candidates.clear();
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    f.roll_start[r] = f.candidates.size();
    legal_boards(on_roll, kRolls[r].die1, kRolls[r].die2, f.plays);
    if (f.plays.empty()) f.candidates.push_back(f.boards.insert(on_roll));
    for (const Board& play : f.plays) f.candidates.push_back(f.boards.insert(play));
  }
  f.roll_start[kRolls.size()] = f.candidates.size();
}

void Tree::keep(Number number, Frame& f) const {
  if (f.kept_as[number] != kLeftOut) return;
  f.kept_as[number] = static_cast<Number>(f.kept.size());
  f.kept.push_back(f.boards.boards()[number]);
}

void Tree::keep_all(Frame& f) const {
  for (Number number = 0; number < f.kept_as.size(); ++number) keep(number, f);
}

void Tree::keep_best(const Board& on_roll, Frame& f) {
  const std::span<const Board> boards = f.boards.boards();
  f.rough.resize(boards.size());
  source_.rough_values(boards, on_roll, f.rough, workspace_.scratch());
  const auto least = static_cast<std::size_t>(pruning_.least);
  const auto most = static_cast<std::size_t>(pruning_.most);
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    const auto candidates =
        std::span<const Number>(f.candidates).subspan(f.roll_start[r], f.roll_start[r + 1] - f.roll_start[r]);
    if (candidates.size() <= least) {
      for (const Number number : candidates) keep(number, f);
      continue;
    }
    f.ranked.clear();
    float best = f.rough[candidates.front()];
    for (const Number number : candidates) best = std::max(best, f.rough[number]);
    const float limit = best - static_cast<float>(pruning_.margin);
    // Best first, equal ones in the order of generation.
    const auto better = [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    };
    for (const Number number : candidates) f.ranked.emplace_back(f.rough[number], number);
    const std::size_t kept = std::min(most, f.ranked.size());
    std::partial_sort(f.ranked.begin(), f.ranked.begin() + static_cast<std::ptrdiff_t>(kept), f.ranked.end(), better);
    for (std::size_t i = 0; i < kept; ++i) {
      if (i >= least && f.ranked[i].first < limit) break;
      keep(f.ranked[i].second, f);
    }
  }
}

}  // namespace botd::fast
