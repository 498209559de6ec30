#include "fast/decider.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "cube/cube_value.hpp"
#include "fast/cube_plan.hpp"
#include "fast/root_search.hpp"
#include "rules/moves.hpp"
#include "rules/scoring.hpp"
#include "search/arguments.hpp"
#include "search/play_order.hpp"

namespace botd::fast {
namespace {

// kept() without a filter.
std::size_t kept(const Narrowing& narrowing, std::span<const RankedBoard> plays) {
  const std::size_t most = std::min(plays.size(), static_cast<std::size_t>(narrowing.most));
  std::size_t count = 1;
  while (count < most && plays.front().equity - plays[count].equity <=
                             narrowing.threshold / std::sqrt(static_cast<double>(count))) {
    ++count;
  }
  return count;
}

}  // namespace

Decider::Decider(std::shared_ptr<const ValueSource> source, const Settings& settings)
    : source_(std::move(source)), settings_(settings), pool_(source_, settings.cache_bytes) {
  check_settings(settings);
}

// The plays of one decision, stage by stage.
struct Decider::PlaySearch {
  const Decider& decider;
  const Deadline& deadline;
  Question question;
  CubeValue mover;
  std::vector<RankedBoard> plays;

  PlaySearch(const Decider& of, const Board& board, const CubeState& state, int die1, int die2, int ply,
             const Deadline& until)
      : decider(of), deadline(until), question{board, state, ply}, mover(state, of.source_->table()) {
    BoardList results;
    legal_boards(board, die1, die2, results);
    plays.resize(std::max<std::size_t>(results.size(), 1));
    plays.front().board = board;
    for (std::size_t i = 0; i < results.size(); ++i) plays[i].board = results[i];
  }

  void rank_statically() {
    const ValueSource& source = *decider.source_;
    const WorkspacePool::Lease workspace(decider.pool_, {question.root, question.state, 0});
    ValueSource::Scratch& scratch = (*workspace).scratch();
    const std::size_t count = plays.size();
    std::vector<Board> boards(count);
    std::vector<std::uint32_t> numbers(count);
    for (std::size_t i = 0; i < count; ++i) {
      boards[i] = plays[i].board;
      numbers[i] = static_cast<std::uint32_t>(i);
    }
    const auto state = source.prepared({question.state}, source.rates_with_double());
    std::vector<double> values(count);
    std::vector<float> ties(count);
    std::vector<Probabilities> probabilities(count);
    std::vector<double> ratings(count);
    source.ratings(boards, question.root, *state, {0}, ratings, ties, scratch);
    source.values(boards, numbers, *state, values, probabilities, scratch);
    for (std::size_t i = 0; i < count; ++i) set(plays[i], ratings[i], probabilities[i], 0);
    sort_best_first(plays);
  }

  // Values of `open` plays at a depth. They stay as they are if DeadlineExceeded is thrown.
  void search(std::span<RankedBoard> open, int ply, const ReplyPruning& pruning) {
    const ValueSource& source = *decider.source_;
    const CubeState opponent = other_side(question.state);
    const CubePlan plan(source, {&opponent, 1}, ply, true);
    std::vector<Board> roots;
    std::vector<std::size_t> of_root;
    {
      const WorkspacePool::Lease workspace(decider.pool_, question);
      for (std::size_t i = 0; i < open.size(); ++i) {
        if (source.is_leaf(open[i].board, (*workspace).scratch())) continue;
        roots.push_back(mirrored(open[i].board));
        of_root.push_back(i);
      }
    }
    const std::vector<RootValue> found =
        search_roots(roots, question, plan, pruning, decider.settings_.threads, deadline, decider.pool_);
    for (RankedBoard& play : open) play.ply = ply;
    for (std::size_t k = 0; k < found.size(); ++k) {
      set(open[of_root[k]], mover.other_side(found[k].values.front()), inverted(found[k].probabilities), ply);
    }
  }

  // Searches `open` plays and sorts them.
  void rank(std::span<RankedBoard> open, int ply) {
    search(open, ply, decider.settings_.pruning);
    sort_best_first(open);
  }

  // The same to the last; plays that compete for the first place again with hardly any pruning.
  void rank_finally(std::span<RankedBoard> open, int ply) {
    rank(open, ply);
    const Settings& settings = decider.settings_;
    if (!settings.pruning.prunes()) return;
    std::vector<RankedBoard> checked(open.begin(), open.end());
    std::size_t sure = 0;  // so many first ones of `checked` were valued again
    for (;;) {
      const double limit = checked.front().equity - settings.recheck;
      std::size_t close = sure;
      while (close < checked.size() && checked[close].equity >= limit) ++close;
      if (close <= std::max<std::size_t>(sure, 1)) break;
      search(std::span(checked).subspan(sure, close - sure), ply, settings.pruning.wider());
      sort_best_first(std::span(checked).first(close));
      sure = close;
    }
    std::copy(checked.begin(), checked.end(), open.begin());
  }

  [[nodiscard]] Plays answer() {
    const int reached = plays.front().ply;
    return {std::move(plays), reached};
  }

  void set(RankedBoard& play, double native, const Probabilities& p, int ply) const {
    play.equity = mover.equity(native);
    play.cubeless_equity = cubeless_equity(p);
    play.probabilities = decider.source_->shown(p);
    play.ply = ply;
  }
};

Plays Decider::rank_plays(const Board& board, const CubeState& state, int die1, int die2, int ply,
                          const Deadline& deadline) const {
  check_question(board, state, ply);
  check_dice(die1, die2);
  PlaySearch search(*this, board, state, die1, die2, ply, deadline);
  search.rank_statically();
  std::span<RankedBoard> open = search.plays;  // the others lie behind, the deepest of them first
  try {
    for (int depth = 0; depth < ply; ++depth) {
      const auto i = static_cast<std::size_t>(depth);
      if (settings_.filter) {
        const FilterStage& stage = settings_.filter->stages(ply)[i];
        if (stage.skipped()) continue;
        if (depth > 0) search.rank(open, depth);
        open = open.first(kept(stage, open));
        if (open.size() == 1 && stage.accept != 1) return search.answer();
      } else {
        if (depth > 0) search.rank(open, depth);
        open = open.first(kept(settings_.narrowing[i], open));
        if (open.size() == 1) return search.answer();
      }
    }
    if (ply > 0) search.rank_finally(open, ply);
  } catch (const DeadlineExceeded&) {
    // What is complete stands.
  }
  return search.answer();
}

RootValue Decider::value_of(const Board& board, const CubeState& actual, std::span<const CubeState> states,
                            bool root_expands, int ply, const ReplyPruning& pruning,
                            const Deadline& deadline) const {
  const Question question{board, actual, ply};
  const Board post_move = mirrored(board);
  {
    const WorkspacePool::Lease workspace(pool_, question);
    ValueSource::Scratch& scratch = (*workspace).scratch();
    if (ply == 0 || source_->is_leaf(post_move, scratch)) {
      std::vector<CubeState> turned;
      for (const CubeState& state : states) turned.push_back(other_side(state));
      const auto prepared = source_->prepared(std::move(turned), root_expands);
      double rating = 0.0;
      float tie = 0.0F;
      const std::uint32_t number = 0;
      RootValue result;
      result.values.resize(states.size());
      source_->ratings({&post_move, 1}, post_move, *prepared, {0}, {&rating, 1}, {&tie, 1}, scratch);
      source_->values({&post_move, 1}, {&number, 1}, *prepared, result.values, {&result.probabilities, 1}, scratch);
      for (std::size_t i = 0; i < states.size(); ++i) {
        double& value = result.values[i];
        value = states[i].is_money() ? -value : 1.0 - value;
      }
      result.probabilities = inverted(result.probabilities);
      return result;
    }
  }
  const CubePlan plan(*source_, states, ply, root_expands);
  return std::move(
      search_roots({&board, 1}, question, plan, pruning, settings_.threads, deadline, pool_).front());
}

CubeState Decider::searched(CubeState state) const {
  if (!source_->searches_beavers()) state.beavers = false;
  return state;
}

CubeEquities Decider::equities_of(const Board& board, const CubeValue& value, std::span<const double, 2> native,
                                  const Probabilities& p) const {
  CubeEquities result = botd::cube_equities(value, native, drop_costs(board, value.state().scoring).opponent);
  result.cubeless_equity = cubeless_equity(p);
  result.probabilities = source_->shown(p);
  return result;
}

CubeEquities Decider::cube_equities(const Board& board, const CubeState& asked, int ply,
                                    const ReplyPruning& pruning, const Deadline& deadline) const {
  const CubeState state = searched(asked);
  const std::array<CubeState, 2> states = {state, doubled(state)};
  const RootValue root = value_of(board, state, states, false, ply, pruning, deadline);
  return equities_of(board, CubeValue(state, source_->table()), std::span(root.values).first<2>(), root.probabilities);
}

CubeAction Decider::cube_action(const Board& board, const CubeState& state, int ply,
                                const Deadline& deadline) const {
  check_question(board, state, ply);
  CubeAction answer;
  try {
    for (int depth = deadline.limited() ? 0 : ply; depth <= ply; ++depth) {
      CubeEquities cube = cube_equities(board, state, depth, settings_.pruning, deadline);
      const auto close = [this](double a, double b) { return std::abs(a - b) < settings_.recheck; };
      const double doubling = std::min(cube.double_take, cube.double_pass);
      if (depth > 0 && settings_.pruning.prunes() && cube.available &&
          (close(doubling, cube.no_double) || close(cube.double_take, cube.double_pass))) {
        cube = cube_equities(board, state, depth, settings_.pruning.wider(), deadline);
      }
      answer = {cube, depth};
    }
  } catch (const DeadlineExceeded&) {
    // What is complete stands.
  }
  return answer;
}

Evaluation Decider::evaluate(const Board& board, const CubeState& state, int ply, const Deadline& deadline) const {
  check_question(board, state, ply);
  const CubeState cubeless = source_->cubeless_state(state);
  CubeState without_jacoby = state;
  without_jacoby.jacoby = false;
  const CubeValue value(without_jacoby, source_->table());
  Evaluation answer;
  try {
    const int deepest = source_->exact(mirrored(board)) ? 0 : ply;
    for (int depth = deadline.limited() ? 0 : deepest; depth <= deepest; ++depth) {
      const RootValue root =
          value_of(board, cubeless, {&cubeless, 1}, true, depth, settings_.pruning, deadline);
      const Probabilities& p = root.probabilities;
      answer.value.probabilities = source_->shown(p);
      answer.value.cubeless_equity = cubeless_equity(p);
      answer.value.equity_at_score =
          value.equity(source_->has_probabilities() ? value.dead_value(p) : root.values.front());
      answer.ply = depth == deepest ? ply : depth;
    }
  } catch (const DeadlineExceeded&) {
    // What is complete stands.
  }
  return answer;
}

}  // namespace botd::fast
