#include "fast/puretd_values.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "puretd/search.hpp"
#include "rules/errors.hpp"

namespace botd::fast {
namespace {

using puretd::Moment;

// What the network is asked about a position: the cube and the moment as the side to play sees them.
struct View {
  CubeOwner cube;
  Moment moment;

  friend bool operator==(const View&, const View&) = default;
};

// The view that the opponent gets of a state of the side that has moved.
View view_of(const CubeState& state, bool opponent_doubles) {
  const CubeState opponent = other_side(state);
  return {opponent.owner, opponent_doubles && may_double(opponent) ? Moment::kCube : Moment::kDice};
}

struct PuretdScratch final : ValueSource::Scratch {
  puretd::Evaluator::Workspace network;
  PruneNet::Workspace rough;
  std::vector<Board> turned;
  std::vector<float> equities;
  // Of the latest ratings(), to the side that has moved, finished games left out.
  View rated{};
  std::vector<double> ratings;
};

PuretdScratch& of(ValueSource::Scratch& scratch) { return static_cast<PuretdScratch&>(scratch); }

}  // namespace

PuretdValues::PuretdValues(std::shared_ptr<const puretd::Evaluator> evaluator, const MatchEquityTable& table,
                           std::shared_ptr<const PruneNet> rough)
    : evaluator_(std::move(evaluator)), table_(table), rough_(std::move(rough)) {
  if (!evaluator_->cubeful())
    throw UnsupportedGame(std::string("fast search: expected a network of kind cubeful_equity, got ") +
                          nets::name(evaluator_->kind()));
}

std::unique_ptr<ValueSource::Scratch> PuretdValues::make_scratch(std::size_t /*cache_bytes*/) const {
  return std::make_unique<PuretdScratch>();
}

std::unique_ptr<const CubeStates> PuretdValues::prepared(std::vector<CubeState> states, bool opponent_doubles) const {
  return std::make_unique<CubeStates>(std::move(states), opponent_doubles);
}

void PuretdValues::begin(const Question& question, Scratch& /*scratch*/) const {
  if (!question.state.is_money())
    throw UnsupportedGame("puretd: a network of kind cubeful_equity knows money play only, expected a game for money, "
                          "got a match");
}

void PuretdValues::ratings(std::span<const Board> post_move, const Board& /*unmoved*/, const CubeStates& state,
                           Place /*place*/, std::span<double> ratings, std::span<float> ties, Scratch& scratch) const {
  PuretdScratch& s = of(scratch);
  const CubeState& own = state.states().front();
  s.rated = view_of(own, state.opponent_doubles());
  s.turned.clear();
  for (const Board& board : post_move) s.turned.push_back(mirrored(board));
  s.equities.resize(post_move.size());
  evaluator_->equities(s.turned, s.rated.cube, s.rated.moment, s.equities, s.network);
  s.ratings.resize(post_move.size());
  for (std::size_t i = 0; i < post_move.size(); ++i) {
    s.ratings[i] = -static_cast<double>(s.equities[i]);
    const int result = game_result(post_move[i]);
    ratings[i] = result != 0 ? puretd::result_equity(result, own, false) : s.ratings[i];
    ties[i] = static_cast<float>(ratings[i]);
  }
}

void PuretdValues::values(std::span<const Board> post_move, std::span<const std::uint32_t> picked,
                          const CubeStates& states, std::span<double> values, std::span<Probabilities> probabilities,
                          Scratch& scratch) const {
  PuretdScratch& s = of(scratch);
  const std::size_t width = states.size();
  std::fill(probabilities.begin(), probabilities.end(), Probabilities{});
  s.turned.clear();
  for (const std::uint32_t number : picked) s.turned.push_back(mirrored(post_move[number]));
  for (std::size_t j = 0; j < width; ++j) {
    const CubeState& own = states.states()[j];
    const View view = view_of(own, states.opponent_doubles());
    if (view != s.rated) {
      s.equities.resize(picked.size());
      evaluator_->equities(s.turned, view.cube, view.moment, s.equities, s.network);
    }
    for (std::size_t k = 0; k < picked.size(); ++k) {
      const int result = game_result(post_move[picked[k]]);
      values[k * width + j] = result != 0        ? puretd::result_equity(result, own, false)
                              : view == s.rated ? s.ratings[picked[k]]
                                                : -static_cast<double>(s.equities[k]);
    }
  }
}

void PuretdValues::rough_values(std::span<const Board> post_move, const Board& unmoved, std::span<float> out,
                                Scratch& scratch) const {
  PuretdScratch& s = of(scratch);
  if (rough_) {
    rough_->evaluate(post_move, unmoved, out, s.rough);
    return;
  }
  s.turned.clear();
  for (const Board& board : post_move) s.turned.push_back(mirrored(board));
  evaluator_->equities(s.turned, CubeOwner::kCentered, Moment::kDice, out, s.network);
  for (std::size_t i = 0; i < post_move.size(); ++i) {
    const int result = game_result(post_move[i]);
    out[i] = result != 0 ? static_cast<float>(result) : -out[i];
  }
}

bool PuretdValues::exact(const Board& post_move) const { return game_result(post_move) != 0; }

CubeState PuretdValues::cubeless_state(const CubeState& state) const {
  CubeState fixed = state;
  fixed.max_value = fixed.value;
  return fixed;
}

}  // namespace botd::fast
