#include "search/decisions.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "rules/moves.hpp"
#include "search/arguments.hpp"
#include "search/play_order.hpp"
#include "search/resignation.hpp"
#include "search/root_search.hpp"

namespace botd {
namespace {

void check(const Board& board, const CubeState& state, const SearchSettings& settings) {
  check_threads(settings.threads);
  check_question(board, state, settings.ply);
}

// Values that are not an estimate.
bool known(const Board& board, const StaticSource& source) {
  return game_result(board) != 0 || source.exact(board);
}

}  // namespace

Decider::Decider(std::shared_ptr<const StaticSource> source, const MatchEquityTable& table)
    : source_(std::move(source)), table_(table), pool_(*source_) {}

std::vector<RankedBoard> Decider::rank_plays(const Board& board, const CubeState& state, int die1, int die2,
                                             const SearchSettings& settings, const Deadline& deadline) const {
  check(board, state, settings);
  check_dice(die1, die2);
  deadline.check();
  BoardList results;
  legal_boards(board, die1, die2, results);
  std::vector<RankedBoard> plays(std::max<std::size_t>(results.size(), 1));
  plays.front().board = board;
  for (std::size_t i = 0; i < results.size(); ++i) plays[i].board = results[i];

  std::span<RankedBoard> open = plays;  // the others lie behind, the deepest of them first
  const std::span<const FilterStage> stages = settings.filter.stages(settings.ply);
  for (std::size_t ply = 0; ply < stages.size(); ++ply) {
    const FilterStage& stage = stages[ply];
    if (stage.skipped()) continue;
    rank(board, state, settings, static_cast<int>(ply), deadline, open);
    open = open.first(kept(stage, open));
    if (open.size() == 1 && stage.accept != 1) return plays;
  }
  rank(board, state, settings, settings.ply, deadline, open);
  return plays;
}

void Decider::rank(const Board& board, const CubeState& state, const SearchSettings& settings, int ply,
                   const Deadline& deadline, std::span<RankedBoard> plays) const {
  if (ply == 0) {
    rank_statically(board, state, settings.noise, plays);
  } else {
    rank_by_search(board, state, ply, settings.threads, deadline, plays);
  }
  for (RankedBoard& play : plays) play.ply = ply;
  sort_best_first(plays);
}

void Decider::rank_statically(const Board& board, const CubeState& state, const Noise& noise,
                              std::span<RankedBoard> plays) const {
  std::vector<Board> boards;
  boards.reserve(plays.size());
  for (const RankedBoard& play : plays) boards.push_back(play.board);
  std::vector<Probabilities> values(plays.size());
  const WorkspacePool::Lease workspace(pool_);
  // At this depth the position before the play says which network judges all its results.
  source_->evaluate(boards, source_->route(board), board, values, (*workspace).scratch());
  count_finished(boards, state.scoring, values);
  const CubeValue value(state, table_);
  for (std::size_t i = 0; i < plays.size(); ++i) {
    Probabilities& p = values[i];
    if (!known(boards[i], *source_)) p = noise.added_to(p, boards[i]);
    plays[i].equity =
        value.equity(value.value(p, cube_efficiency(boards[i]), drop_costs(boards[i], state.scoring)));
    plays[i].cubeless_equity = cubeless_equity(p);
    plays[i].probabilities = source_->nested(p);
  }
}

void Decider::rank_by_search(const Board& board, const CubeState& state, int ply, int threads,
                             const Deadline& deadline, std::span<RankedBoard> plays) const {
  const CubeState opponent = other_side(state);
  const TreePlan plan({&opponent, 1}, ply + 1, true, table_);
  std::vector<Board> roots;
  roots.reserve(plays.size());
  for (const RankedBoard& play : plays) roots.push_back(mirrored(play.board));
  const std::vector<NodeValue> values =
      search_roots(roots, *source_, plan, {.pinned = source_->pinned_network(board)},
                   threads, deadline, pool_);
  const CubeValue opponent_value(opponent, table_);
  for (std::size_t i = 0; i < plays.size(); ++i) {
    const Probabilities p = inverted(values[i].probabilities);
    plays[i].equity = -opponent_value.equity(values[i].values.front());
    plays[i].cubeless_equity = cubeless_equity(p);
    plays[i].probabilities = source_->nested(p);
  }
}

Probabilities Decider::static_pre_roll(const Board& board, const Noise& noise) const {
  const WorkspacePool::Lease workspace(pool_);
  const Board post_move = mirrored(board);
  Probabilities p;
  source_->evaluate({&post_move, 1}, StaticSource::kOwnNetwork, post_move, {&p, 1}, (*workspace).scratch());
  return inverted(source_->exact(post_move) ? p : noise.added_to(p, post_move));
}

Probabilities Decider::cubeless(const Board& board, const SearchSettings& settings,
                                const Deadline& deadline) const {
  if (settings.ply == 0) return static_pre_roll(board, settings.noise);
  const Board post_move = mirrored(board);
  if (source_->exact(post_move)) return source_->clamped(static_pre_roll(board, {}), board);
  const CubeState capped = capped_money_cube();
  const TreePlan plan({&capped, 1}, settings.ply + 1, true, table_);
  const TreeOptions options{.pinned = source_->pinned_network(post_move)};
  const std::vector<NodeValue> value =
      search_roots({&board, 1}, *source_, plan, options, settings.threads, deadline, pool_);
  return source_->clamped(value.front().probabilities, board);
}

CubeEquities Decider::cube_action(const Board& board, const CubeState& state, const SearchSettings& settings,
                                  const Deadline& deadline) const {
  check(board, state, settings);
  deadline.check();
  const CubeValue value(state, table_);
  const Probabilities p = cubeless(board, settings, deadline);

  const DropCosts costs = drop_costs(board, state.scoring);
  std::array<double, 2> native{};  // no double, double and take
  const std::array<CubeState, 2> states = {state, doubled(state)};
  if (settings.ply == 0) {
    const double efficiency = cube_efficiency(board);
    native = {value.value(p, efficiency, costs), CubeValue(states[1], table_).value(p, efficiency, costs)};
  } else {
    const TreePlan plan(states, settings.ply + 1, false, table_);
    const TreeOptions options{.pinned = source_->pinned_network(board), .preselect = Preselect::kEverywhere};
    const std::vector<NodeValue> root =
        search_roots({&board, 1}, *source_, plan, options, settings.threads, deadline, pool_);
    native = {root.front().values[0], root.front().values[1]};
  }

  CubeEquities result = cube_equities(value, native, costs.opponent);
  result.cubeless_equity = cubeless_equity(p);
  result.probabilities = source_->nested(p);
  return result;
}

CubeEquities cube_equities(const CubeValue& value, std::span<const double, 2> native, int pass_cost) {
  const CubeOutcome outcome = decide_cube(value, native[0], native[1], pass_cost);
  CubeEquities result;
  result.no_double = value.equity(native[0]);
  result.double_take = value.equity(outcome.take);
  result.double_pass = value.equity(value.double_pass(pass_cost));
  result.optimal = value.equity(outcome.optimal);
  result.available = may_double(value.state());
  result.doubles = outcome.doubles;
  result.takes = outcome.takes;
  result.beavers = outcome.beavers;
  return result;
}

PositionValue Decider::evaluate(const Board& board, const CubeState& state, const SearchSettings& settings,
                                const Deadline& deadline) const {
  check(board, state, settings);
  deadline.check();
  const Probabilities p = cubeless(board, settings, deadline);
  PositionValue result;
  result.probabilities = source_->nested(p);
  result.cubeless_equity = cubeless_equity(p);
  CubeState without_jacoby = state;
  without_jacoby.jacoby = false;
  const CubeValue value(without_jacoby, table_);
  result.equity_at_score = value.equity(value.dead_value(p));
  return result;
}

double Decider::result_equity(const CubeState& state, int points) const {
  check_state(state);
  if (points == 0 || points < -3 || points > 3) {
    throw std::invalid_argument("result: expected 1 to 3 points won or lost, got " + std::to_string(points));
  }
  const CubeValue value(state, table_);
  return value.equity(points > 0 ? value.won(points) : value.lost(-points));
}

int Decider::certain_loss(const Board& board, const CubeState& state) const {
  check_question(board, state, 0);
  const LossBounds bounds = loss_bounds(board, *source_, state.scoring);
  if (!bounds.lost) return 0;
  const auto worth = [this, &state](int points) { return result_equity(state, -points); };
  if (state.scoring == Scoring::kBgammon) {
    // Nobody asks how much is resigned: the position decides. Fair if playing on cannot end cheaper.
    const int now = position_cost(board);
    const int at_best = bounds.backgammon_certain ? 3 : bounds.gammon_certain ? 2 : 1;
    return worth(now) >= worth(at_best) ? now : 0;
  }
  const int least = 1 + (bounds.gammon_certain ? 1 + (bounds.backgammon_certain ? 1 : 0) : 0);
  const int most = 1 + (bounds.gammon_possible ? 1 + (bounds.backgammon_possible ? 1 : 0) : 0);
  // A gammon that costs no more at this score, or under Jacoby, need not be settled or offered.
  if (worth(most) < worth(least)) return 0;
  int level = least;
  while (level > 1 && worth(level - 1) <= worth(least)) --level;
  return level;
}

}  // namespace botd
