// Many questions in one call.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "fast/decider.hpp"
#include "rules/moves.hpp"
#include "search/arguments.hpp"

namespace botd::fast {
namespace {

constexpr double kTie = 1e-6;           // equal equities differ by rounding
constexpr std::size_t kTogether = 256;  // boards; their values stay in the cache of the processor

void check_lengths(std::size_t boards, std::size_t dice) {
  if (boards == dice) return;
  throw std::invalid_argument("dice: expected as many rolls as boards, " + std::to_string(boards) + ", got " +
                              std::to_string(dice));
}

// The places whose equities count as equal to the best.
void find_contenders(std::span<const double> equities, std::vector<std::uint32_t>& contenders) {
  const double limit = *std::max_element(equities.begin(), equities.end()) - kTie;
  contenders.clear();
  for (std::size_t i = 0; i < equities.size(); ++i) {
    if (equities[i] >= limit) contenders.push_back(static_cast<std::uint32_t>(i));
  }
}

}  // namespace

std::vector<BestPlay> Decider::best_plays(std::span<const Board> boards, const CubeState& state,
                                          std::span<const std::pair<int, int>> dice, int ply) const {
  check_lengths(boards.size(), dice.size());
  std::vector<BestPlay> answers(boards.size());
  if (ply > 0) {
    for (std::size_t i = 0; i < boards.size(); ++i) {
      const Plays ranked = rank_plays(boards[i], state, dice[i].first, dice[i].second, ply, {});
      answers[i] = {ranked.plays.front().board, ranked.plays.front().equity, ranked.ply};
    }
    return answers;
  }
  for (std::size_t i = 0; i < boards.size(); ++i) {
    check_question(boards[i], state, ply);
    check_dice(dice[i].first, dice[i].second);
  }
  if (boards.empty()) return answers;
  const CubeValue mover(state, source_->table());
  const auto prepared = source_->prepared({state}, source_->rates_with_double());
  const WorkspacePool::Lease workspace(pool_, {boards.front(), state, 0});
  ValueSource::Scratch& scratch = (*workspace).scratch();
  BoardList plays;
  std::vector<double> ratings;
  std::vector<float> ties;
  std::vector<std::uint32_t> contenders;
  std::vector<double> natives;
  std::vector<Probabilities> probabilities;
  for (std::size_t i = 0; i < boards.size(); ++i) {
    legal_boards(boards[i], dice[i].first, dice[i].second, plays);
    const std::span<const Board> results =
        plays.empty() ? boards.subspan(i, 1) : std::span<const Board>(plays.data(), plays.size());
    ratings.resize(results.size());
    ties.resize(results.size());
    source_->begin({boards[i], state, 0}, scratch);
    source_->ratings(results, boards[i], *prepared, {0}, ratings, ties, scratch);
    for (double& rating : ratings) rating = mover.equity(rating);
    find_contenders(ratings, contenders);
    std::uint32_t best = contenders.front();
    if (contenders.size() > 1) {  // cubeless equity and the board decide, as in rank_plays()
      natives.resize(contenders.size());
      probabilities.resize(contenders.size());
      source_->values(results, contenders, *prepared, natives, probabilities, scratch);
      double most = cubeless_equity(probabilities.front());
      for (std::size_t k = 1; k < contenders.size(); ++k) {
        const double cubeless = cubeless_equity(probabilities[k]);
        if (cubeless < most || (cubeless == most && !(results[contenders[k]] < results[best]))) continue;
        most = cubeless;
        best = contenders[k];
      }
    }
    answers[i] = {results[best], ratings[best], 0};
  }
  return answers;
}

std::vector<CubeEquities> Decider::cube_actions(std::span<const Board> boards, const CubeState& asked, int ply) const {
  std::vector<CubeEquities> answers(boards.size());
  if (ply > 0) {
    for (std::size_t i = 0; i < boards.size(); ++i) answers[i] = cube_action(boards[i], asked, ply, {}).equities;
    return answers;
  }
  for (const Board& board : boards) check_question(board, asked, ply);
  if (boards.empty()) return answers;
  const CubeState state = searched(asked);
  const CubeValue value(state, source_->table());
  const auto prepared = source_->prepared({other_side(state), other_side(doubled(state))}, false);
  const WorkspacePool::Lease workspace(pool_, {boards.front(), state, 0});
  std::vector<Board> post_move;
  std::vector<double> natives(2 * kTogether);
  std::vector<Probabilities> probabilities(kTogether);
  for (std::size_t done = 0; done < boards.size(); done += kTogether) {
    const std::span<const Board> some = boards.subspan(done, std::min(kTogether, boards.size() - done));
    post_move.clear();
    for (const Board& board : some) post_move.push_back(mirrored(board));
    source_->static_values(post_move, *prepared, std::span(natives).first(2 * some.size()),
                           std::span(probabilities).first(some.size()), (*workspace).scratch());
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::array<double, 2> native = {value.other_side(natives[2 * i]), value.other_side(natives[2 * i + 1])};
      answers[done + i] = equities_of(some[i], value, native, inverted(probabilities[i]));
    }
  }
  return answers;
}

}  // namespace botd::fast
