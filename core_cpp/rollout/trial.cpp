#include "rollout/trial.hpp"

#include <algorithm>

namespace botd::rollout {
namespace {

constexpr std::size_t kSearchedPlays = 2;      // of a branch, best by static equity
constexpr double kSearchedWithin = 0.03;       // of the best
constexpr double kTie = 1e-6;

std::array<double, 5> as_array(const Probabilities& p) {
  return {p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon};
}

// Few checkers on either side: the live cube's share of a static value misleads here.
bool near_the_end(const Board& board) {
  const int own = kCheckers - own_borne_off(board);
  const int opponent = kCheckers - opponent_borne_off(board);
  constexpr int kCheckersLeft = 2;
  constexpr int kPipsLeft = 24;
  return own <= kCheckersLeft && opponent <= kCheckersLeft &&
         std::min(own_pips(board), opponent_pips(board)) <= kPipsLeft;
}

}  // namespace

TrialPlayer::TrialPlayer(const Sources& sources, const Settings& settings, const MatchEquityTable& table, int basis,
                         const Deadline& deadline, TreeWorkspace& workspace)
    : sources_(sources),
      settings_(settings),
      table_(table),
      basis_(basis),
      deadline_(deadline),
      workspace_(workspace),
      plays_(sources) {}

void TrialPlayer::finish(Trial& trial, const Dice& dice, std::uint64_t number) {
  while (!trial.outcome) {
    act(trial);
    if (trial.outcome) return;
    const std::size_t roll = roll_index(dice.roll(number, trial.half_move));
    look(trial, roll);
    play(trial, roll);
  }
}

const CubeValue& TrialPlayer::valued(const CubeState& state) {
  const auto known =
      std::find_if(cubes_.begin(), cubes_.end(), [&](const auto& cube) { return cube->state() == state; });
  if (known != cubes_.end()) return **known;
  return *cubes_.emplace_back(std::make_unique<CubeValue>(state, table_));
}

const CubeValue& TrialPlayer::driver(const Trial& trial) {
  return valued(trial.branches[trial.branches[0].finished ? 1 : 0].state);
}

bool TrialPlayer::removes_luck(const Trial& trial) const { return trial.half_move > 0 || settings_.first_roll_luck; }

bool TrialPlayer::cube_aware(const Trial& trial) const { return trial.half_move < settings_.cubeless_from; }

double TrialPlayer::counted(const CubeState& state, double native, bool by_starter) const {
  if (!state.is_money()) return by_starter ? native : 1.0 - native;
  const double points = native * state.value / basis_;
  return by_starter ? points : -points;
}

void TrialPlayer::conclude(Trial& trial, std::span<const double, 2> values, const Probabilities& p, bool by_starter,
                           bool passed) const {
  Outcome& outcome = trial.outcome.emplace();
  for (std::size_t i = 0; i < trial.branches.size(); ++i) {
    const Branch& branch = trial.branches[i];
    outcome.values[i] = (branch.finished ? branch.value : counted(branch.state, values[i], by_starter)) - branch.luck;
  }
  outcome.probabilities = as_array(by_starter ? p : inverted(p));
  for (std::size_t i = 0; i < trial.luck.size(); ++i) outcome.probabilities[i] -= trial.luck[i];
  outcome.passed = passed;
}

// ---- the cube

bool TrialPlayer::wants_to_double(const CubeState& state, const Probabilities& p, const Board& board,
                                  double efficiency) {
  const DropCosts costs = drop_costs(board, state.scoring);
  const CubeValue& cube = valued(state);
  return decide_cube(cube, cube.value(p, efficiency, costs), valued(doubled(state)).value(p, efficiency, costs),
                     costs.opponent)
      .doubles;
}

void TrialPlayer::answer(Trial& trial, Branch& branch, double no_double, double double_take) {
  const int pass_cost = drop_costs(trial.board, branch.state.scoring).opponent;
  const CubeValue& cube = valued(branch.state);
  const CubeOutcome outcome = decide_cube(cube, no_double, double_take, pass_cost);
  if (!outcome.doubles) return;
  if (!outcome.takes) {
    branch.finished = true;
    branch.value = counted(branch.state, cube.double_pass(pass_cost), trial.starter_on_roll());
    return;
  }
  branch.state = doubled(branch.state);
  if (outcome.beavers) branch.state.value *= 2;
}

void TrialPlayer::act(Trial& trial) {
  if (trial.half_move == 0) return;
  const auto asked = [](const Branch& branch) { return !branch.finished && may_double(branch.state); };
  if (std::none_of(trial.branches.begin(), trial.branches.end(), asked)) return;

  const Board& board = trial.board;
  Probabilities p;
  if (sources_.full.exact(board)) {
    p = sources_.full.exact_pre_roll(board);
  } else {
    const Board post_move = mirrored(board);
    sources_.full.evaluate({&post_move, 1}, StaticSource::kOwnNetwork, post_move, {&p, 1}, workspace_.scratch());
    p = inverted(p);
  }
  p = sources_.full.clamped(p, board);

  const double efficiency = cube_efficiency(board);
  if (settings_.cube_ply == 0) {
    for (Branch& branch : trial.branches) {
      if (!asked(branch)) continue;
      const DropCosts costs = drop_costs(board, branch.state.scoring);
      const double no_double = valued(branch.state).value(p, efficiency, costs);
      answer(trial, branch, no_double, valued(doubled(branch.state)).value(p, efficiency, costs));
    }
  } else {
    std::vector<Branch*> doubters;
    std::vector<CubeState> states;
    for (Branch& branch : trial.branches) {
      if (!asked(branch)) continue;
      if (!wants_to_double(branch.state, p, board, efficiency) &&
          !(near_the_end(board) && wants_to_double(branch.state, p, board, 0.0))) {
        continue;
      }
      doubters.push_back(&branch);
      states.push_back(branch.state);
    }
    if (!doubters.empty()) {
      const std::vector<double> values = searched_doubles(board, states);
      for (std::size_t i = 0; i < doubters.size(); ++i) answer(trial, *doubters[i], values[2 * i], values[2 * i + 1]);
    }
  }
  if (trial.branches[0].finished && trial.branches[1].finished) {
    conclude(trial, std::array<double, 2>{}, p, trial.starter_on_roll(), true);
  }
}

std::vector<double> TrialPlayer::searched_doubles(const Board& board, std::span<const CubeState> states) {
  std::vector<CubeState> pairs;
  for (const CubeState& state : states) {
    pairs.push_back(state);
    pairs.push_back(doubled(state));
  }
  const TreePlan plan(pairs, settings_.cube_ply + 1, false, table_);
  const TreeOptions options{.pinned = sources_.full.pinned_network(board), .preselect = Preselect::kBelowRoot};
  std::vector<double> values(pairs.size());
  Tree(sources_.full, plan, options, deadline_, workspace_).run(board, values);
  return values;
}

// ---- plays

void TrialPlayer::look(const Trial& trial, std::optional<std::size_t> only) {
  deadline_.check();
  const Scoring scoring = trial.branches[0].state.scoring;
  if (!removes_luck(trial)) {
    plays_.look(trial.board, scoring, only, workspace_.scratch());
    return;
  }
  plays_.look(trial.board, scoring, std::nullopt, workspace_.scratch());
  expected_ = {};
  const double efficiency = cube_efficiency(trial.board);
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    const double weight = kRolls[r].ways / 36.0;
    const std::uint32_t chosen = shared_choice(trial, r);
    const Probabilities value = plays_.value(chosen);
    const std::array<double, 5> p = as_array(value);
    for (std::size_t i = 0; i < p.size(); ++i) expected_.probabilities[i] += weight * p[i];
    const DropCosts costs = drop_costs(plays_.board(chosen), scoring);
    for (std::size_t i = 0; i < trial.branches.size(); ++i) {
      const Branch& branch = trial.branches[i];
      if (!branch.finished) expected_.values[i] += weight * valued(branch.state).value(value, efficiency, costs);
    }
  }
}

std::uint32_t TrialPlayer::shared_choice(const Trial& trial, std::size_t roll) {
  return cube_aware(trial) ? plays_.best_known(roll, driver(trial)) : plays_.best_cubeless(roll);
}

std::uint32_t TrialPlayer::choice(const Trial& trial, std::size_t roll) {
  if (const int ply = settings_.ply_at(trial.half_move); ply > 0) return searched_choice(trial, roll, ply);
  if (trial.half_move == 1 || !cube_aware(trial)) return shared_choice(trial, roll);
  return plays_.best_by_networks(roll, driver(trial));
}

std::uint32_t TrialPlayer::searched_choice(const Trial& trial, std::size_t roll, int ply) {
  const std::span<const std::uint32_t> all = plays_.candidates(roll);
  if (all.size() == 1) return all.front();
  const bool known = plays_.all_known(roll);
  const StaticSource& source = known ? sources_.full : sources_.networks;
  std::vector<std::uint32_t> kept;
  std::vector<std::pair<double, std::uint32_t>> ranked;
  for (const Branch& branch : trial.branches) {
    if (branch.finished) continue;
    const CubeValue& cube = valued(branch.state);
    ranked.clear();
    for (const std::uint32_t index : all) {
      ranked.emplace_back(known ? plays_.known_equity(index, cube) : plays_.equity(index, cube), index);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < std::min(kSearchedPlays, ranked.size()); ++i) {
      if (ranked[i].first < ranked.front().first - kSearchedWithin) break;
      if (std::find(kept.begin(), kept.end(), ranked[i].second) == kept.end()) kept.push_back(ranked[i].second);
    }
  }
  if (kept.size() == 1) return kept.front();

  const CubeState opponent = other_side(driver(trial).state());
  const TreePlan plan({&opponent, 1}, ply + 1, true, table_);
  const TreeOptions options{.pinned = source.pinned_network(trial.board), .preselect = Preselect::kBelowRoot};
  Tree tree(source, plan, options, deadline_, workspace_);
  const CubeValue& cube = valued(opponent);
  std::vector<double> equities;
  for (const std::uint32_t index : kept) {
    double value = 0.0;
    tree.run(mirrored(plays_.board(index)), {&value, 1});
    equities.push_back(-cube.equity(value));
  }
  const double limit = *std::max_element(equities.begin(), equities.end()) - kTie;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (equities[i] >= limit && (!best || plays_.cubeless(kept[i]) > plays_.cubeless(kept[*best]))) best = i;
  }
  return kept[best.value_or(0)];
}

void TrialPlayer::remove_luck(Trial& trial, const Probabilities& played, const Board& board) {
  const std::array<double, 5> p = as_array(played);
  std::array<double, 5> d{};
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = p[i] - expected_.probabilities[i];
  if (!trial.starter_on_roll()) d = {-d[0], d[3], d[4], d[1], d[2]};
  for (std::size_t i = 0; i < d.size(); ++i) trial.luck[i] += d[i];
  const double efficiency = cube_efficiency(trial.board);
  for (std::size_t i = 0; i < trial.branches.size(); ++i) {
    Branch& branch = trial.branches[i];
    if (branch.finished) continue;
    const double value = valued(branch.state).value(played, efficiency, drop_costs(board, branch.state.scoring));
    branch.luck += counted(branch.state, value, trial.starter_on_roll()) -
                   counted(branch.state, expected_.values[i], trial.starter_on_roll());
  }
}

void TrialPlayer::play(Trial& trial, std::size_t roll) {
  const std::uint32_t chosen = choice(trial, roll);
  const Board board = plays_.board(chosen);
  if (removes_luck(trial)) remove_luck(trial, plays_.value(chosen), board);
  const Scoring scoring = trial.branches[0].state.scoring;
  if (const int result = game_result(board, scoring); result != 0) {
    std::array<double, 2> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = valued(trial.branches[i].state).won(result);
    conclude(trial, values, terminal_probabilities(result), trial.starter_on_roll());
    return;
  }
  trial.board = mirrored(board);
  ++trial.half_move;
  for (Branch& branch : trial.branches) branch.state = other_side(branch.state);
  if (trial.half_move == settings_.truncate) cut_off(trial);
}

void TrialPlayer::cut_off(Trial& trial) {
  std::array<double, 2> values{};
  if (settings_.truncation_ply == 0) {
    const Board board = mirrored(trial.board);  // of the side that has moved, with its cube
    Probabilities p;
    sources_.full.evaluate({&board, 1}, StaticSource::kOwnNetwork, board, {&p, 1}, workspace_.scratch());
    p = sources_.full.clamped(p, board);
    const double efficiency = cube_efficiency(board);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const CubeValue& cube = valued(other_side(trial.branches[i].state));
      values[i] = cube.other_side(cube.value(p, efficiency, drop_costs(board, cube.state().scoring)));
    }
    conclude(trial, values, inverted(p), trial.starter_on_roll());
    return;
  }
  std::vector<CubeState> states;
  for (const Branch& branch : trial.branches) {
    if (!branch.finished) states.push_back(branch.state);
  }
  const TreePlan plan(states, settings_.truncation_ply + 1, true, table_);
  const TreeOptions options{.preselect = Preselect::kBelowRoot};
  std::array<double, 2> searched{};
  const Probabilities p = Tree(sources_.full, plan, options, deadline_, workspace_)
                              .run(trial.board, std::span(searched).first(states.size()));
  std::size_t next = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!trial.branches[i].finished) values[i] = searched[next++];
  }
  conclude(trial, values, p, trial.starter_on_roll());
}

}  // namespace botd::rollout
