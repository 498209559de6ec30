#include "puretd/search.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "search/resignation.hpp"

namespace botd::puretd {
namespace {

constexpr double kPass = 1.0;

CubeState owned_by_opponent(CubeState state) {
  state.owner = CubeOwner::kOpponent;
  return state;
}

}  // namespace

CubeEquities decided(double no_double, double double_take, const CubeState& state) {
  CubeEquities cube{no_double, double_take, may_double(state), false, double_take <= kPass, no_double};
  if (!cube.available) return cube;
  // Under the Jacoby rule nobody is too good to double a centred cube.
  cube.doubles = cube.takes ? double_take > no_double : state.jacoby_active() || kPass >= no_double;
  if (cube.doubles) cube.optimal = std::min(double_take, kPass);
  return cube;
}

double result_equity(int points, const CubeState& state, bool wins_only) {
  if (wins_only || state.jacoby_active()) return points > 0 ? 1.0 : -1.0;
  return points;
}

int certain_loss(const Board& board, const CubeState& state, bool wins_only) {
  const LossBounds bounds = loss_bounds(board, state.scoring);
  if (!bounds.lost) return 0;
  const auto worth = [&](int points) { return result_equity(-points, state, wins_only); };
  const int least = 1 + (bounds.gammon_certain ? 1 + (bounds.backgammon_certain ? 1 : 0) : 0);
  const int most = 1 + (bounds.gammon_possible ? 1 + (bounds.backgammon_possible ? 1 : 0) : 0);
  // A gammon that costs no more need not be settled or offered.
  if (worth(most) < worth(least)) return 0;
  return worth(1) <= worth(least) ? 1 : least;
}

double Search::finished(int result, const CubeState& state) const {
  // A cubeless network does not know the cube, and so not the Jacoby rule.
  return evaluator_.cubeful() ? result_equity(result, state, false) : result_equity(result, {}, evaluator_.wins_only());
}

void Search::after_move(std::span<const Board> post_move, const CubeState& state, Node& node) {
  node.turned.clear();
  for (const Board& board : post_move) node.turned.push_back(mirrored(board));
  node.equities.resize(post_move.size());
  const CubeOwner opponents_view = other_side(state).owner;
  evaluator_.equities(node.turned, opponents_view, moment_of(opponents_view), node.equities, workspace_);
  node.values.resize(post_move.size());
  for (std::size_t i = 0; i < post_move.size(); ++i) {
    const int result = game_result(post_move[i]);
    node.values[i] = result != 0 ? finished(result, state) : -static_cast<double>(node.equities[i]);
  }
}

double Search::static_value(const Board& to_play, const CubeState& state) {
  float equity = 0.0F;
  evaluator_.equities({&to_play, 1}, state.owner, Moment::kDice, {&equity, 1}, workspace_);
  return equity;
}

double Search::roll_average(const Board& to_play, const CubeState& state) {
  double sum = 0.0;
  for (const Roll& roll : kRolls) {
    deadline_.check();
    legal_boards(to_play, roll.die1, roll.die2, reply_.boards);
    const std::span<const Board> replies =
        reply_.boards.empty() ? std::span(&to_play, 1) : std::span(reply_.boards.data(), reply_.boards.size());
    after_move(replies, state, reply_);
    sum += roll.ways * *std::max_element(reply_.values.begin(), reply_.values.end());
  }
  return sum / 36.0;
}

double Search::deepen(RankedPlay& play, const CubeState& state) {
  play.ply = 1;
  if (const int result = game_result(play.board); result != 0) {
    play.equity = finished(result, state);
    return play.equity;
  }
  const Board to_play = mirrored(play.board);
  if (evaluator_.has_probabilities()) {
    play.probabilities = inverted(average_probabilities(to_play));
    play.equity = static_cast<double>(cubeless_equity(play.probabilities));
    return play.equity;
  }
  const CubeState opponent = other_side(state);
  const double no_double = roll_average(to_play, opponent);
  play.equity = -no_double;
  if (evaluator_.cubeful() && may_double(opponent)) {
    const double double_take = 2.0 * roll_average(to_play, owned_by_opponent(opponent));
    play.equity = -decided(no_double, double_take, opponent).optimal;
  }
  return -no_double;
}

std::vector<RankedPlay> Search::rank_plays(const Board& board, const CubeState& state, int die1, int die2, int ply) {
  deadline_.check();
  legal_boards(board, die1, die2, root_.boards);
  std::vector<Board> boards(root_.boards.begin(), root_.boards.end());
  if (boards.empty()) boards.push_back(board);
  after_move(boards, state, root_);
  std::vector<Probabilities> chances(boards.size());
  if (evaluator_.has_probabilities()) evaluator_.probabilities(root_.turned, chances, workspace_);
  const std::vector<double> statics = root_.values;
  std::vector<RankedPlay> plays;
  std::vector<double> ties(boards.size());
  for (std::size_t i = 0; i < boards.size(); ++i) {
    const int result = game_result(boards[i]);
    plays.push_back({boards[i], statics[i], result != 0 ? terminal_probabilities(result) : inverted(chances[i]), 0});
    if (ply > 0) ties[i] = deepen(plays[i], state);
  }
  // Where the opponent would double everything out, what comes without the double decides, then the static value.
  std::vector<std::size_t> order(plays.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (plays[a].equity != plays[b].equity) return plays[a].equity > plays[b].equity;
    if (ties[a] != ties[b]) return ties[a] > ties[b];
    return statics[a] > statics[b];
  });
  std::vector<RankedPlay> ranked;
  ranked.reserve(plays.size());
  for (const std::size_t i : order) ranked.push_back(plays[i]);
  return ranked;
}

double Search::before_roll(const Board& board, const CubeState& state, int ply) {
  deadline_.check();
  return ply == 0 ? static_value(board, state) : roll_average(board, state);
}

CubeEquities Search::cube_action(const Board& board, const CubeState& state, int ply) {
  const double no_double = before_roll(board, state, ply);
  if (evaluator_.cubeful()) return decided(no_double, 2.0 * before_roll(board, owned_by_opponent(state), ply), state);
  CubeEquities cube;  // as if there were none: never turned, always taken
  cube.no_double = cube.optimal = no_double;
  cube.double_take = evaluator_.wins_only() ? no_double : 2.0 * no_double;
  return cube;
}

Probabilities Search::probabilities(const Board& board, int ply) {
  deadline_.check();
  if (ply > 0) return average_probabilities(board);
  Probabilities value;
  evaluator_.probabilities({&board, 1}, {&value, 1}, workspace_);
  return value;
}

Probabilities Search::average_probabilities(const Board& to_play) {
  std::array<double, 5> sums{};
  std::vector<Probabilities> chances;
  for (const Roll& roll : kRolls) {
    deadline_.check();
    legal_boards(to_play, roll.die1, roll.die2, reply_.boards);
    const std::span<const Board> replies =
        reply_.boards.empty() ? std::span(&to_play, 1) : std::span(reply_.boards.data(), reply_.boards.size());
    reply_.turned.clear();
    for (const Board& post_move : replies) reply_.turned.push_back(mirrored(post_move));
    chances.resize(replies.size());
    evaluator_.probabilities(reply_.turned, chances, workspace_);
    for (std::size_t i = 0; i < replies.size(); ++i) {
      const int result = game_result(replies[i]);
      chances[i] = result != 0 ? terminal_probabilities(result) : inverted(chances[i]);
    }
    const Probabilities& best = *std::max_element(
        chances.begin(), chances.end(),
        [](const Probabilities& a, const Probabilities& b) { return cubeless_equity(a) < cubeless_equity(b); });
    const std::array<float, 5> parts{best.win, best.win_gammon, best.win_backgammon, best.lose_gammon,
                                     best.lose_backgammon};
    for (std::size_t k = 0; k < parts.size(); ++k) sums[k] += roll.ways * static_cast<double>(parts[k]);
  }
  const auto mean = [&](std::size_t k) { return static_cast<float>(sums[k] / 36.0); };
  return {mean(0), mean(1), mean(2), mean(3), mean(4)};
}

}  // namespace botd::puretd
