#include "gnubg/node_search.hpp"

#include <algorithm>

#include "gnubg/pruning.hpp"

namespace botd::gnubg {
namespace {

constexpr double kWays = 36.0;
constexpr int kPliesTag = 16;  // more than any number of plies

bool has_pruning_network(PositionClass position_class) { return position_class >= PositionClass::kRace; }

}  // namespace

void NodeAverage::add(int ways, const Probabilities& p, const CubePlan::Values& values) {
  for (std::size_t i = 0; i < level_.expanded.size(); ++i) sums_[i] += ways * values[i];
  outcomes_[0] += ways * static_cast<double>(p.win);
  outcomes_[1] += ways * static_cast<double>(p.win_gammon);
  outcomes_[2] += ways * static_cast<double>(p.win_backgammon);
  outcomes_[3] += ways * static_cast<double>(p.lose_gammon);
  outcomes_[4] += ways * static_cast<double>(p.lose_backgammon);
}

Probabilities NodeAverage::finish(int pass_cost, CubePlan::Values& values) const {
  CubePlan::Values expanded{};
  for (std::size_t i = 0; i < level_.expanded.size(); ++i) {
    expanded[i] = level_.expanded[i].other_side(sums_[i] / kWays);
  }
  collapse(level_, expanded, pass_cost, values);
  const auto mean = [this](std::size_t i) { return static_cast<float>(outcomes_[i] / kWays); };
  return inverted({mean(0), mean(1), mean(2), mean(3), mean(4)});
}

NodeSearch::NodeSearch(const StaticSource& source, const CubePlan& plan, const SearchRules& rules,
                       const Deadline& deadline, SearchWorkspace& workspace)
    : source_(source), plan_(plan), rules_(rules), deadline_(deadline), workspace_(workspace) {
  workspace_.nodes_.clear();
}

bool NodeSearch::is_leaf(PositionClass position_class) const {
  if (position_class == PositionClass::kOver) return true;
  // In a match the database knows the chances but not what the cube is worth.
  return position_class == PositionClass::kTwoSided && (!rules_.cubeful || plan_.actual(0).is_money());
}

NodeSearch::Frame& NodeSearch::frame(int plies) {
  const auto i = static_cast<std::size_t>(plies);
  while (workspace_.frames_.size() <= i) workspace_.frames_.push_back(std::make_unique<Frame>());
  return *workspace_.frames_[i];
}

Probabilities NodeSearch::evaluate(const Board& on_roll, int level, int plies, CubePlan::Values& values) {
  const Position position = position_of(on_roll);
  const PositionClass position_class = source_.classify(position);
  if (plies == 0 || is_leaf(position_class)) {
    // Roots hardly ever come again: to remember them costs more than to value them.
    const Probabilities p =
        counted(on_roll, level == 0 ? fresh_static_value(position, position_class)
                                    : static_value(on_roll, position, position_class));
    return leaf(on_roll, position, position_class, p, level, values);
  }
  const bool remembered = level > 0;  // every root is another board
  const int tag = level * kPliesTag + plies;
  const std::uint64_t hash = remembered ? PlayTable::hash_of(on_roll) : 0;
  if (remembered) {
    if (const auto* known = workspace_.nodes_.find(on_roll, hash, tag)) {
      values = known->values;
      return known->probabilities;
    }
  }
  Frame& f = frame(plies);
  choose(on_roll, level, plies == 1, f);
  NodeAverage average(plan_.level(level));
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    const Number number = f.chosen[r];
    const auto first = std::find(f.chosen.begin(), f.chosen.end(), number) - f.chosen.begin();
    if (static_cast<std::size_t>(first) < r) continue;
    int ways = 0;
    for (std::size_t i = r; i < kRolls.size(); ++i) {
      if (f.chosen[i] == number) ways += kRolls[i].ways;
    }
    const Board& next = f.plays.turned()[number];
    CubePlan::Values next_values;
    const Probabilities p = plies == 1 ? leaf(next, f.positions[number], f.classes[number], f.statics[number],
                                              level + 1, next_values)
                                       : evaluate(next, level + 1, plies - 1, next_values);
    average.add(ways, p, next_values);
  }
  const Probabilities p = average.finish(drop_costs(on_roll, rules_.scoring).opponent, values);
  if (remembered) workspace_.nodes_.store(on_roll, hash, tag, {p, values});
  return p;
}

void NodeSearch::successors(const Board& on_roll, int level, std::vector<Successor>& out) {
  Frame& f = frame(0);
  choose(on_roll, level, false, f);
  out.clear();
  std::array<std::size_t, kRolls.size()> place{};
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    const auto first =
        static_cast<std::size_t>(std::find(f.chosen.begin(), f.chosen.end(), f.chosen[r]) - f.chosen.begin());
    if (first == r) {
      place[r] = out.size();
      out.push_back({f.plays.turned()[f.chosen[r]], 0});
    }
    out[place[first]].ways += kRolls[r].ways;
  }
}

std::array<double, kRolls.size()> NodeSearch::best_equities(const Board& on_roll, int level) {
  Frame& f = frame(0);
  choose(on_roll, level, true, f);
  std::array<double, kRolls.size()> equities{};
  for (std::size_t r = 0; r < kRolls.size(); ++r) equities[r] = equity(f.chosen[r], level, f);
  return equities;
}

void NodeSearch::choose(const Board& on_roll, int level, bool statics, Frame& f) {
  deadline_.check();
  generate(on_roll, f);
  prune(level, f);
  workspace_.wanted_.clear();
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    const auto kept = f.kept.of(r);
    if (!statics && kept.size() == 1) continue;
    for (const Number number : kept) {
      if (f.has_static[number] != 0) continue;
      f.has_static[number] = 1;
      workspace_.wanted_.push_back(number);
    }
  }
  evaluate_wanted(f);
  for (std::size_t r = 0; r < kRolls.size(); ++r) f.chosen[r] = best_of(f.kept.of(r), level, f);
}

void NodeSearch::generate(const Board& on_roll, Frame& f) const {
  f.plays.start(on_roll);
  f.legal.numbers.clear();
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    f.legal.start[r] = f.legal.numbers.size();
    // The larger die first.
    if (f.plays.add_roll(kRolls[r].die2, kRolls[r].die1, f.legal.numbers) == 0) {
      f.legal.numbers.push_back(f.plays.add_unmoved());
    }
  }
  f.legal.start[kRolls.size()] = f.legal.numbers.size();
  const std::size_t count = f.plays.size();
  f.positions.resize(count);
  f.classes.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    f.positions[i] = position_of(f.plays.turned()[i]);
    f.classes[i] = source_.classify(f.positions[i]);
  }
  f.has_static.assign(count, 0);
  f.statics.resize(count);
  f.scores.assign(count, Score{});
}

void NodeSearch::prune(int level, Frame& f) {
  if (!rules_.prune) {
    f.kept = f.legal;
    return;
  }
  const auto prunable = [&f](std::span<const Number> numbers) {
    if (numbers.size() <= kept_plays(numbers.size())) return false;
    const PositionClass first = f.classes[numbers.front()];
    return has_pruning_network(first) && std::all_of(numbers.begin(), numbers.end(), [&](Number number) {
             return f.classes[number] == first;
           });
  };
  SearchWorkspace& w = workspace_;
  f.has_prune_equity.assign(f.plays.size(), 0);
  f.prune_equities.resize(f.plays.size());
  std::array<bool, kRolls.size()> pruned{};
  for (std::size_t r = 0; r < kRolls.size(); ++r) pruned[r] = prunable(f.legal.of(r));
  const CubeValue& opponent = plan_.actual(level + 1);
  for (const auto position_class : {PositionClass::kRace, PositionClass::kCrashed, PositionClass::kContact}) {
    w.wanted_.clear();
    for (std::size_t r = 0; r < kRolls.size(); ++r) {
      const auto numbers = f.legal.of(r);
      if (!pruned[r] || f.classes[numbers.front()] != position_class) continue;
      for (const Number number : numbers) {
        if (f.has_prune_equity[number] != 0) continue;
        f.has_prune_equity[number] = 1;
        w.wanted_.push_back(number);
      }
    }
    if (w.wanted_.empty()) continue;
    w.values_.resize(w.wanted_.size());
    source_.prune_values(f.positions, position_class, w.wanted_, w.values_, *w.scratch_);
    for (std::size_t i = 0; i < w.wanted_.size(); ++i) {
      f.prune_equities[w.wanted_[i]] = static_cast<float>(opponent.shown_cubeless_equity(w.values_[i]));
    }
  }
  f.kept.numbers.clear();
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    f.kept.start[r] = f.kept.numbers.size();
    const auto numbers = f.legal.of(r);
    if (!pruned[r]) {
      f.kept.numbers.insert(f.kept.numbers.end(), numbers.begin(), numbers.end());
      continue;
    }
    w.prune_equities_.clear();
    for (const Number number : numbers) w.prune_equities_.push_back(f.prune_equities[number]);
    select_best(w.prune_equities_, kept_plays(numbers.size()), w.slots_);
    for (const std::size_t slot : w.slots_) f.kept.numbers.push_back(numbers[slot]);
  }
  f.kept.start[kRolls.size()] = f.kept.numbers.size();
}

void NodeSearch::evaluate_wanted(Frame& f) {
  SearchWorkspace& w = workspace_;
  const std::span<const Board> turned = f.plays.turned();
  for (const Number number : w.wanted_) w.statics_.prefetch(f.plays.hash(number));
  std::size_t open = 0;
  for (const Number number : w.wanted_) {
    if (const Probabilities* known = w.statics_.find(turned[number], f.plays.hash(number), 0)) {
      f.statics[number] = counted(turned[number], *known);
    } else {
      w.wanted_[open++] = number;
    }
  }
  w.wanted_.resize(open);
  w.values_.resize(open);
  source_.evaluate(f.positions, f.classes, w.wanted_, w.values_, *w.scratch_);
  for (std::size_t i = 0; i < open; ++i) {
    const Number number = w.wanted_[i];
    f.statics[number] = counted(turned[number], w.values_[i]);
    w.statics_.store(turned[number], f.plays.hash(number), 0, w.values_[i]);
  }
}

Probabilities NodeSearch::counted(const Board& on_roll, const Probabilities& p) const {
  if (rules_.scoring == Scoring::kStandard) return p;
  const int result = game_result(on_roll, rules_.scoring);
  return result != 0 ? terminal_probabilities(result) : p;
}

Probabilities NodeSearch::static_value(const Board& on_roll, const Position& position,
                                       PositionClass position_class) {
  SearchWorkspace& w = workspace_;
  const std::uint64_t hash = PlayTable::hash_of(on_roll);
  if (const Probabilities* known = w.statics_.find(on_roll, hash, 0)) return *known;
  const Probabilities p = fresh_static_value(position, position_class);
  w.statics_.store(on_roll, hash, 0, p);
  return p;
}

Probabilities NodeSearch::fresh_static_value(const Position& position, PositionClass position_class) {
  Probabilities p;
  const Number number = 0;
  source_.evaluate({&position, 1}, {&position_class, 1}, {&number, 1}, {&p, 1}, *workspace_.scratch_);
  return p;
}

NodeSearch::Number NodeSearch::best_of(std::span<const Number> candidates, int level, Frame& f) const {
  Number best = candidates.front();
  for (const Number number : candidates.subspan(1)) {
    const float challenger = equity(number, level, f);
    const float champion = equity(best, level, f);
    if (challenger > champion ||
        (challenger == champion && cubeless(number, level, f) > cubeless(best, level, f))) {
      best = number;
    }
  }
  return best;
}

float NodeSearch::equity(Number number, int level, Frame& f) const {
  if (!rules_.cubeful) return cubeless(number, level, f);
  Score& score = f.scores[number];
  if (!score.known) {
    const Board& turned = f.plays.turned()[number];
    const DropCosts costs = drop_costs(turned, rules_.scoring);
    const Leaf leaf(source_, turned, f.positions[number], f.classes[number], f.statics[number],
                    rules_.choices, costs);
    const CubePlan::Level& next = plan_.level(level + 1);
    const CubePlan::Pair& pair = next.states.front();
    double value = leaf.value(next.expanded[pair.no_double]);
    if (pair.double_take != CubePlan::Pair::kNone) {
      value = collapsed(next.expanded[pair.no_double], value, leaf.value(next.expanded[pair.double_take]),
                        costs.opponent);
    }
    const CubeValue& mover = plan_.actual(level);
    score.equity = static_cast<float>(mover.equity(mover.other_side(value)));
    score.known = true;
  }
  return score.equity;
}

float NodeSearch::cubeless(Number number, int level, Frame& f) const {
  Score& score = f.scores[number];
  if (!score.cubeless_known) {
    const Probabilities p = inverted(f.statics[number]);
    score.cubeless = static_cast<float>(plan_.actual(level).shown_cubeless_equity(p));
    score.cubeless_known = true;
  }
  return score.cubeless;
}

Probabilities NodeSearch::leaf(const Board& on_roll, const Position& position, PositionClass position_class,
                               const Probabilities& p, int level, CubePlan::Values& values) const {
  if (!rules_.cubeful) return p;
  const DropCosts costs = drop_costs(on_roll, rules_.scoring);
  const Leaf leaf(source_, on_roll, position, position_class, p, rules_.leaves, costs);
  const CubePlan::Level& plan = plan_.level(level);
  CubePlan::Values expanded{};
  for (std::size_t i = 0; i < plan.expanded.size(); ++i) expanded[i] = leaf.value(plan.expanded[i]);
  collapse(plan, expanded, costs.opponent, values);
  return p;
}

}  // namespace botd::gnubg
