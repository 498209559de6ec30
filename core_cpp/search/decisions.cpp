#include "search/decisions.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "rules/moves.hpp"
#include "search/resignation.hpp"

namespace botd {
namespace {

constexpr double kTie = 1e-6;  // equal equities differ by rounding

void check(const CubeState& state) {
  if (state.value < 1 || state.value > kMaxCube || (state.value & (state.value - 1)) != 0) {
    throw std::invalid_argument("cube value: expected a power of two from 1 to " + std::to_string(kMaxCube) +
                                ", got " + std::to_string(state.value));
  }
  if (state.max_value < 0 || state.max_value > kMaxCube || (state.max_value & (state.max_value - 1)) != 0 ||
      (state.max_value > 0 && state.value > state.max_value)) {
    throw std::invalid_argument("largest cube: expected a power of two from the cube's value (" +
                                std::to_string(state.value) + ") to " + std::to_string(kMaxCube) + ", got " +
                                std::to_string(state.max_value));
  }
  const bool money = state.own_away == 0 && state.opponent_away == 0;
  const auto possible = [](int away) { return away >= 1 && away <= MatchEquityTable::kMaxAway; };
  if (!money && !(possible(state.own_away) && possible(state.opponent_away))) {
    throw std::invalid_argument("score: expected 1 to " + std::to_string(MatchEquityTable::kMaxAway) +
                                " points still needed by each side, got " + std::to_string(state.own_away) +
                                " and " + std::to_string(state.opponent_away));
  }
  if (money && state.scoring != Scoring::kStandard) {
    throw std::invalid_argument("scoring: bgammon servers have matches only, expected a match");
  }
  if (state.seat > 1) {
    throw std::invalid_argument("seat: expected 0 or 1, got " + std::to_string(state.seat));
  }
}

void check(const Board& board, const CubeState& state, int ply) {
  if (const char* error = board_error(board)) throw std::invalid_argument(std::string("board: ") + error);
  if (game_result(board) != 0)
    throw std::invalid_argument("board: the game is over, nothing is to be decided");
  if (ply < 0 || ply > kMaxPly) {
    throw std::invalid_argument("ply: expected 0 to " + std::to_string(kMaxPly) + ", got " +
                                std::to_string(ply));
  }
  check(state);
}

// Equities within kTie of the best of the rest count as equal; then cubeless equity and the board decide.
void sort_best_first(std::vector<RankedBoard>& plays) {
  std::sort(plays.begin(), plays.end(), [](const RankedBoard& a, const RankedBoard& b) {
    return a.equity != b.equity ? a.equity > b.equity : a.board < b.board;
  });
  for (auto first = plays.begin(); first != plays.end();) {
    const double limit = first->equity - kTie;
    const auto last =
        std::find_if(first, plays.end(), [limit](const auto& play) { return play.equity < limit; });
    std::sort(first, last, [](const RankedBoard& a, const RankedBoard& b) {
      return a.cubeless_equity != b.cubeless_equity ? a.cubeless_equity > b.cubeless_equity
                                                    : a.board < b.board;
    });
    first = last;
  }
}

}  // namespace

// A workspace for one call, given back at its end.
class Decider::Lease {
 public:
  explicit Lease(const Decider& decider) : decider_(decider) {
    const std::scoped_lock lock(decider_.mutex_);
    if (!decider_.idle_.empty()) {
      workspace_ = std::move(decider_.idle_.back());
      decider_.idle_.pop_back();
    } else {
      workspace_ = std::make_unique<TreeWorkspace>(*decider_.source_);
    }
  }
  ~Lease() {
    const std::scoped_lock lock(decider_.mutex_);
    decider_.idle_.push_back(std::move(workspace_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  [[nodiscard]] TreeWorkspace& operator*() const { return *workspace_; }

 private:
  const Decider& decider_;
  std::unique_ptr<TreeWorkspace> workspace_;
};

Decider::Decider(std::shared_ptr<const StaticSource> source, const MatchEquityTable& table)
    : source_(std::move(source)), table_(table) {}

Decider::~Decider() = default;

std::vector<RankedBoard> Decider::rank_plays(const Board& board, const CubeState& state, int die1, int die2,
                                             int ply, const Deadline& deadline) const {
  check(board, state, ply);
  if (die1 < 1 || die1 > 6 || die2 < 1 || die2 > 6) {
    throw std::invalid_argument("dice: expected two numbers from 1 to 6, got " + std::to_string(die1) +
                                " and " + std::to_string(die2));
  }
  deadline.check();
  BoardList results;
  legal_boards(board, die1, die2, results);
  std::vector<RankedBoard> plays(std::max<std::size_t>(results.size(), 1));
  plays.front().board = board;
  for (std::size_t i = 0; i < results.size(); ++i) plays[i].board = results[i];

  const Lease workspace(*this);
  if (ply == 0) {
    rank_statically(board, state, plays, *workspace);
  } else {
    rank_by_search(board, state, ply, deadline, plays, *workspace);
  }
  sort_best_first(plays);
  return plays;
}

void Decider::rank_statically(const Board& board, const CubeState& state, std::vector<RankedBoard>& plays,
                              TreeWorkspace& workspace) const {
  std::vector<Board> boards;
  boards.reserve(plays.size());
  for (const RankedBoard& play : plays) boards.push_back(play.board);
  std::vector<Probabilities> values(plays.size());
  // At this depth the position before the play says which network judges all its results.
  source_->evaluate(boards, source_->route(board), board, values, workspace.scratch());
  count_finished(boards, state.scoring, values);
  const CubeValue value(state, table_);
  for (std::size_t i = 0; i < plays.size(); ++i) {
    const Probabilities& p = values[i];
    plays[i].equity = value.equity(value.value(p, cube_efficiency(plays[i].board), drop_costs(plays[i].board, state.scoring)));
    plays[i].cubeless_equity = cubeless_equity(p);
    plays[i].probabilities = source_->nested(p);
  }
}

void Decider::rank_by_search(const Board& board, const CubeState& state, int ply, const Deadline& deadline,
                             std::vector<RankedBoard>& plays, TreeWorkspace& workspace) const {
  const CubeState opponent = other_side(state);
  const TreePlan plan({&opponent, 1}, ply + 1, true, table_);
  Tree tree(*source_, plan, {.pinned = source_->pinned_network(board), .preselect = false}, deadline,
            workspace);
  const CubeValue opponent_value(opponent, table_);
  for (RankedBoard& play : plays) {
    double native = 0.0;
    const Probabilities p = inverted(tree.run(mirrored(play.board), {&native, 1}));
    play.equity = -opponent_value.equity(native);
    play.cubeless_equity = cubeless_equity(p);
    play.probabilities = source_->nested(p);
  }
}

Probabilities Decider::static_pre_roll(const Board& board, TreeWorkspace& workspace) const {
  const Board post_move = mirrored(board);
  Probabilities p;
  source_->evaluate({&post_move, 1}, StaticSource::kOwnNetwork, post_move, {&p, 1}, workspace.scratch());
  return inverted(p);
}

Probabilities Decider::cubeless(const Board& board, int ply, const Deadline& deadline,
                                TreeWorkspace& workspace) const {
  if (ply == 0) return static_pre_roll(board, workspace);
  const Board post_move = mirrored(board);
  if (source_->exact(post_move)) return source_->clamped(static_pre_roll(board, workspace), board);
  const CubeState capped = capped_money_cube();
  const TreePlan plan({&capped, 1}, ply + 1, true, table_);
  Tree tree(*source_, plan, {.pinned = source_->pinned_network(post_move), .preselect = false}, deadline,
            workspace);
  double native = 0.0;
  return source_->clamped(tree.run(board, {&native, 1}), board);
}

CubeEquities Decider::cube_action(const Board& board, const CubeState& state, int ply,
                                  const Deadline& deadline) const {
  check(board, state, ply);
  deadline.check();
  const Lease workspace(*this);
  const CubeValue value(state, table_);
  const Probabilities p = cubeless(board, ply, deadline, *workspace);

  const DropCosts costs = drop_costs(board, state.scoring);
  std::array<double, 2> native{};  // no double, double and take
  const std::array<CubeState, 2> states = {state, doubled(state)};
  if (ply == 0) {
    const double efficiency = cube_efficiency(board);
    native = {value.value(p, efficiency, costs), CubeValue(states[1], table_).value(p, efficiency, costs)};
  } else {
    const TreePlan plan(states, ply + 1, false, table_);
    Tree tree(*source_, plan, {.pinned = source_->pinned_network(board), .preselect = true}, deadline,
              *workspace);
    tree.run(board, native);
  }

  const CubeOutcome outcome = decide_cube(value, native[0], native[1], costs.opponent);
  CubeEquities result;
  result.no_double = value.equity(native[0]);
  result.double_take = value.equity(outcome.take);
  result.double_pass = value.equity(value.double_pass(costs.opponent));
  result.optimal = value.equity(outcome.optimal);
  result.available = may_double(state);
  result.doubles = outcome.doubles;
  result.takes = outcome.takes;
  result.beavers = outcome.beavers;
  result.cubeless_equity = cubeless_equity(p);
  result.probabilities = source_->nested(p);
  return result;
}

PositionValue Decider::evaluate(const Board& board, const CubeState& state, int ply,
                                const Deadline& deadline) const {
  check(board, state, ply);
  deadline.check();
  const Lease workspace(*this);
  const Probabilities p = cubeless(board, ply, deadline, *workspace);
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
  check(state);
  if (points == 0 || points < -3 || points > 3) {
    throw std::invalid_argument("result: expected 1 to 3 points won or lost, got " + std::to_string(points));
  }
  const CubeValue value(state, table_);
  return value.equity(points > 0 ? value.won(points) : value.lost(-points));
}

int Decider::certain_loss(const Board& board, const CubeState& state) const {
  check(board, state, 0);
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
