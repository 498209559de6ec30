#include "gnubg/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "gnubg/play_ranking.hpp"
#include "gnubg/root_search.hpp"
#include "search/arguments.hpp"

namespace botd::gnubg {
namespace {

std::size_t roll_place(int die1, int die2) {
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    if ((kRolls[r].die1 == die1 && kRolls[r].die2 == die2) ||
        (kRolls[r].die1 == die2 && kRolls[r].die2 == die1)) {
      return r;
    }
  }
  return 0;
}

}  // namespace

Search::Search(std::shared_ptr<const StaticSource> source, std::shared_ptr<const StaticSource> quiet,
               Profile profile, const MatchEquityTable& table, const SearchSettings& settings)
    : profile_(profile),
      table_(table),
      settings_(settings),
      pool_(std::make_unique<WorkspacePool>(source)),
      quiet_pool_(source == quiet ? nullptr : std::make_unique<WorkspacePool>(quiet)) {}

SearchRules Search::rules(int ply, Scoring scoring) const {
  SearchRules rules;
  rules.scoring = scoring;
  rules.cubeful = settings_.cubeful;
  rules.prune = settings_.prune && !quiet_pool_;
  if (profile_ == Profile::kB) {
    rules.leaves = ply <= 1 ? EfficiencySet::kShallow : EfficiencySet::kStandard;
    rules.choices = rules.prune ? rules.leaves : EfficiencySet::kShallow;
  }
  return rules;
}

// The plays of one decision and their evaluation, stage by stage.
struct Search::PlaySearch {
  const Search& search;
  const Deadline& deadline;
  CubeValue mover;
  CubePlan plan;
  SearchRules rules;
  std::vector<RankedPlay> plays;

  PlaySearch(const Search& of, const Board& board, const CubeState& state, int die1, int die2, int ply,
             const Deadline& until)
      : search(of),
        deadline(until),
        mover(state, of.table_),
        plan(std::array{other_side(state)}, ply, true, of.table_),
        rules(of.rules(ply, state.scoring)) {
    PlayTable table(PlayTable::kSlotsOfRoll);
    table.start(board);
    std::vector<PlayTable::Number> numbers;
    if (table.add_roll(die1, die2, numbers) == 0) numbers.push_back(table.add_unmoved());
    plays.reserve(numbers.size());
    for (const auto number : numbers) {
      plays.emplace_back().board = mirrored(table.turned()[number]);
    }
  }

  // Values of the plays at `places`, at a depth.
  void score(std::span<const std::size_t> places, int ply) {
    std::vector<Root> roots(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) roots[i].on_roll = mirrored(plays[places[i]].board);
    evaluate_roots(roots, ply, plan, rules, search.settings_.threads, deadline, *search.pool_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      RankedPlay& play = plays[places[i]];
      play.probabilities = inverted(roots[i].probabilities);
      play.cubeless = mover.shown_cubeless_equity(play.probabilities);
      play.equity = rules.cubeful ? mover.equity(mover.other_side(roots[i].values.front())) : play.cubeless;
      play.ply = ply;
    }
  }

  void rank(int ply) {
    std::vector<std::size_t> remaining(plays.size());
    for (std::size_t i = 0; i < remaining.size(); ++i) remaining[i] = i;
    const auto stages = search.settings_.filter.stages(ply);
    for (std::size_t s = 0; s < stages.size(); ++s) {
      if (stages[s].skipped()) continue;
      score(remaining, static_cast<int>(s));
      keep_best(plays, stages[s], remaining);
      if (remaining.size() == 1 && stages[s].accept != 1) return;
    }
    score(remaining, ply);
  }
};

std::vector<RankedPlay> Search::rank_plays(const Board& board, const CubeState& state, int die1, int die2,
                                           int ply, const Deadline& deadline) const {
  check_question(board, state, ply);
  check_dice(die1, die2);
  deadline.check();
  PlaySearch search(*this, board, state, die1, die2, ply, deadline);
  search.rank(ply);
  sort_for_display(search.plays);
  return std::move(search.plays);
}

std::vector<RankedPlay> Search::assess_play(const Board& board, const CubeState& state, int die1, int die2,
                                            const Board& played, int ply, const Deadline& deadline) const {
  constexpr double kClose = 0.03;
  check_question(board, state, ply);
  check_dice(die1, die2);
  deadline.check();
  PlaySearch search(*this, board, state, die1, die2, ply, deadline);
  search.rank(ply);
  sort_for_display(search.plays);
  std::vector<RankedPlay>& plays = search.plays;
  std::size_t place = 0;
  while (place < plays.size() && plays[place].board != played) ++place;
  if (place == plays.size()) {
    throw std::invalid_argument("play: the board is not a legal result of the roll");
  }
  const int deepest = plays.front().ply;
  if (plays[place].ply < deepest) search.score(std::array{place}, deepest);
  if (place != 0 && deepest < ply && std::abs(plays[place].equity - plays.front().equity) > kClose) {
    search.score(std::array{std::size_t{0}, place}, ply);
  }
  sort_for_display(plays);
  return std::move(plays);
}

Root Search::evaluate_one(const Board& board, const CubePlan& plan, int ply, const Deadline& deadline) const {
  const Scoring scoring = plan.actual(0).state().scoring;
  Root root;
  root.on_roll = board;
  evaluate_roots({&root, 1}, ply, plan, rules(ply, scoring), settings_.threads, deadline, *pool_);
  return root;
}

CubeEquities Search::cube_action(const Board& board, const CubeState& state, int ply,
                                 const Deadline& deadline) const {
  check_question(board, state, ply);
  deadline.check();
  const CubePlan plan(std::array{state, doubled(state)}, ply, false, table_);
  const Root root = evaluate_one(board, plan, ply, deadline);
  const CubeValue value(state, table_);
  CubeEquities result;
  result.no_double = value.equity(root.values[0]);
  result.double_take = state.is_money() ? 2.0 * root.values[1] : value.equity(root.values[1]);
  result.double_pass = value.equity(value.double_pass(drop_costs(board, state.scoring).opponent));
  result.available = may_double(state);
  const double if_doubled = std::min(result.double_take, result.double_pass);
  result.optimal = result.available && if_doubled >= result.no_double ? if_doubled : result.no_double;
  result.probabilities = root.probabilities;
  result.cubeless_equity = cubeless_equity(root.probabilities);
  return result;
}

PositionValue Search::evaluate(const Board& board, const CubeState& state, int ply,
                               const Deadline& deadline) const {
  check_question(board, state, ply);
  deadline.check();
  const CubePlan plan(std::array{state}, ply, true, table_);
  const Root root = evaluate_one(board, plan, ply, deadline);
  const CubeValue value(state, table_);
  PositionValue result;
  result.probabilities = root.probabilities;
  result.cubeless_equity = cubeless_equity(root.probabilities);
  result.equity_at_score = value.shown_cubeless_equity(root.probabilities);
  result.cubeful_equity = settings_.cubeful ? value.equity(root.values[0]) : result.equity_at_score;
  return result;
}

std::array<double, kRolls.size()> Search::roll_equities(const Board& board, const CubeState& state,
                                                        const Deadline& deadline) const {
  SearchRules quiet;
  quiet.scoring = state.scoring;
  if (profile_ == Profile::kB) quiet.leaves = quiet.choices = EfficiencySet::kShallow;
  WorkspacePool& pool = quiet_pool_ ? *quiet_pool_ : *pool_;
  const WorkspacePool::Lease workspace(pool);
  const CubePlan plan(std::array{state}, 1, true, table_);
  return NodeSearch(pool.source(), plan, quiet, deadline, *workspace).best_equities(board, 0);
}

RollLuck Search::luck(const Board& board, const CubeState& state, int die1, int die2,
                      const Deadline& deadline) const {
  check_question(board, state, 0);
  check_dice(die1, die2);
  deadline.check();
  const auto equities = roll_equities(board, state, deadline);
  double sum = 0.0;
  double ways = 0.0;
  // The first roll of a game is never a double, and it decides who starts.
  const bool opening = board == starting_board() && die1 != die2;
  const auto other = opening ? roll_equities(board, other_side(state), deadline) : equities;
  for (std::size_t r = 0; r < kRolls.size(); ++r) {
    if (!opening) {
      sum += kRolls[r].ways * equities[r];
      ways += kRolls[r].ways;
    } else if (kRolls[r].die1 != kRolls[r].die2) {
      sum += equities[r] - other[r];
      ways += 2.0;
    }
  }
  const CubeValue value(state, table_);
  RollLuck result;
  result.equity = equities[roll_place(die1, die2)];
  result.average = sum / ways;
  result.luck = result.equity - result.average;
  result.gain = state.is_money() ? result.luck * state.value : value.native(result.luck) - value.native(0.0);
  return result;
}

bool Search::in_database(const Board& board) const {
  const PositionClass found = pool_->source().classify(position_of(board));
  return found == PositionClass::kTwoSided || found == PositionClass::kOneSided;
}

Probabilities Search::static_value(const Board& board, const CubeState& state) const {
  WorkspacePool& pool = quiet_pool_ ? *quiet_pool_ : *pool_;
  const WorkspacePool::Lease workspace(pool);
  const CubePlan plan(std::array{state}, 0, true, table_);
  const Deadline deadline;
  SearchRules cubeless;
  cubeless.cubeful = false;
  cubeless.scoring = state.scoring;
  CubePlan::Values values;
  return NodeSearch(pool.source(), plan, cubeless, deadline, *workspace).evaluate(board, 0, 0, values);
}

double Search::utility(const Board& board, const CubeState& state) const {
  check_question(board, state, 0);
  return CubeValue(state, table_).utility(static_value(board, state));
}

double Search::result_utility(const CubeState& state, int points) const {
  check_state(state);
  if (points == 0 || points < -3 || points > 3) {
    throw std::invalid_argument("result: expected 1 to 3 points won or lost, got " + std::to_string(points));
  }
  return CubeValue(state, table_).utility(terminal_probabilities(points));
}

int Search::certain_loss(const Board& board, const CubeState& state) const {
  check_question(board, state, 0);
  if (pool_->source().classify(position_of(board)) > PositionClass::kRace) return 0;
  const Probabilities p = static_value(board, state);
  const CubeValue value(state, table_);
  const double equity = value.utility(p);
  const auto is_worth = [&](int points) { return value.utility(terminal_probabilities(-points)) == equity; };
  if (state.scoring == Scoring::kBgammon) {
    // Nobody asks how much is resigned, the position decides; playing on must not be cheaper.
    const int cost = position_cost(board);
    return p.win == 0.0F && value.utility(terminal_probabilities(-cost)) >= equity ? cost : 0;
  }
  const bool gammons_count = !state.jacoby_active();
  if (p.lose_backgammon > 0.0F && is_worth(3)) return gammons_count ? 3 : 1;
  if (p.lose_gammon > 0.0F && is_worth(2)) return gammons_count ? 2 : 1;
  return is_worth(1) ? 1 : 0;
}

}  // namespace botd::gnubg
