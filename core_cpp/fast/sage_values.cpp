#include "fast/sage_values.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cube/cube_value.hpp"
#include "fast/static_cache.hpp"
#include "rules/moves.hpp"
#include "rules/scoring.hpp"

namespace botd::fast {
namespace {

// Pubeval's numbers are in no unit; its differences between plays are about this many points of equity.
constexpr double kRoughScale = 0.1;

constexpr float kFinished = 1e6F;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

class SageStates final : public CubeStates {
 public:
  SageStates(std::vector<CubeState> states, bool opponent_doubles, const MatchEquityTable& table)
      : CubeStates(std::move(states), opponent_doubles) {
    std::vector<CubeState> wanted;
    const auto place = [&wanted](const CubeState& state) {
      const auto found = std::find(wanted.begin(), wanted.end(), state);
      if (found != wanted.end()) return static_cast<std::size_t>(found - wanted.begin());
      wanted.push_back(state);
      return wanted.size() - 1;
    };
    for (const CubeState& own : this->states()) {
      if (!opponent_doubles) {
        pairs_.push_back({place(own), kNone});
        continue;
      }
      const CubeState opponent = other_side(own);
      const std::size_t no_double = place(opponent);
      pairs_.push_back({no_double, may_double(opponent) ? place(per_unit(doubled(opponent))) : kNone});
    }
    views_.reserve(wanted.size());
    for (const CubeState& state : wanted) views_.emplace_back(state, table);
  }

  [[nodiscard]] Scoring scoring() const { return states().front().scoring; }

  // Of the first state alone, without a double of the opponent's.
  [[nodiscard]] double first(const Board& board, const Probabilities& p) const {
    const CubeValue& view = views_.front();
    const Probabilities seen = opponent_doubles() ? inverted(p) : p;
    const double value = view.value(seen, cube_efficiency(board), costs_of(board));
    return opponent_doubles() ? view.other_side(value) : value;
  }

  // Of all states, for the side that has moved.
  void all(const Board& board, const Probabilities& p, std::vector<double>& views, std::span<double> out) const {
    const double efficiency = cube_efficiency(board);
    const DropCosts costs = costs_of(board);
    const Probabilities seen = opponent_doubles() ? inverted(p) : p;
    views.resize(views_.size());
    for (std::size_t i = 0; i < views.size(); ++i) views[i] = views_[i].value(seen, efficiency, costs);
    for (std::size_t j = 0; j < out.size(); ++j) {
      const Pair& pair = pairs_[j];
      if (!opponent_doubles()) {
        out[j] = views[pair.no_double];
        continue;
      }
      const CubeValue& opponent = views_[pair.no_double];
      double value = views[pair.no_double];
      if (pair.double_take != kNone) value = collapsed(opponent, value, views[pair.double_take], costs.opponent);
      out[j] = opponent.other_side(value);
    }
  }

 private:
  // What an asked-for state is made of: places in views_.
  struct Pair {
    std::size_t no_double = 0;
    std::size_t double_take = kNone;
  };

  // In the view that views_ has.
  [[nodiscard]] DropCosts costs_of(const Board& board) const {
    const DropCosts costs = drop_costs(board, scoring());
    return opponent_doubles() ? DropCosts{costs.opponent, costs.own} : costs;
  }

  std::vector<CubeValue> views_;  // different states, as the side sees them that decides next about the cube
  std::vector<Pair> pairs_;
};

const SageStates& sage_states(const CubeStates& states) { return static_cast<const SageStates&>(states); }

struct SageScratch final : ValueSource::Scratch {
  explicit SageScratch(std::size_t cache_bytes) : caches{StaticCache(cache_bytes / 2), StaticCache(cache_bytes / 2)} {}

  std::unique_ptr<StaticSource::Scratch> networks;
  // Boards two plies down and deeper come back from many parents. Their values are computed from the root, not from the
  // parent, and so are the same to the last bit whichever it was; boards seen by either side apart.
  std::array<std::unique_ptr<StaticSource::Scratch>, 2> from_root;
  std::array<Board, 2> roots;  // as the side on roll sees it, and the other
  std::array<StaticCache, 2> caches;
  int pinned = StaticSource::kOwnNetwork;
  bool clamps = true;
  std::vector<Probabilities> statics;  // of the latest ratings(), for the side that has moved
  std::vector<double> views;
  PruneNet::Workspace rough;
  // Of one batch.
  std::vector<std::size_t> hashes;
  std::vector<std::uint32_t> wanted;
  std::vector<Board> boards;
  std::vector<Probabilities> found;
};

SageScratch& of(ValueSource::Scratch& scratch) { return static_cast<SageScratch&>(scratch); }

// Static values of boards two plies below the root or deeper.
void evaluate_remembering(std::span<const Board> boards, ValueSource::Place place, const StaticSource& source,
                          SageScratch& s) {
  const auto side = static_cast<std::size_t>(place.depth % 2);
  const std::size_t count = boards.size();
  StaticCache& cache = s.caches[side];
  if (!cache.remembers()) {
    source.evaluate_pinned(boards, s.pinned, s.roots[side], s.statics, *s.from_root[side]);
    return;
  }
  s.hashes.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    s.hashes[i] = hash_value(boards[i]);
    cache.prefetch(s.hashes[i]);
  }
  s.wanted.clear();
  s.boards.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (const Probabilities* known = cache.find(boards[i], s.hashes[i])) {
      s.statics[i] = *known;
    } else {
      s.wanted.push_back(static_cast<std::uint32_t>(i));
      s.boards.push_back(boards[i]);
    }
  }
  s.found.resize(s.boards.size());
  source.evaluate_pinned(s.boards, s.pinned, s.roots[side], s.found, *s.from_root[side]);
  for (std::size_t k = 0; k < s.wanted.size(); ++k) {
    s.statics[s.wanted[k]] = s.found[k];
    cache.store(s.boards[k], s.hashes[s.wanted[k]], s.found[k]);
  }
}

}  // namespace

SageValues::SageValues(std::shared_ptr<const StaticSource> source, const MatchEquityTable& table,
                       std::shared_ptr<const PruneNet> rough, const Noise& noise)
    : source_(std::move(source)), table_(table), rough_(std::move(rough)), noise_(noise) {}

std::unique_ptr<ValueSource::Scratch> SageValues::make_scratch(std::size_t cache_bytes) const {
  auto scratch = std::make_unique<SageScratch>(cache_bytes);
  scratch->networks = source_->make_scratch();
  for (auto& memory : scratch->from_root) memory = source_->make_scratch();
  return scratch;
}

std::unique_ptr<const CubeStates> SageValues::prepared(std::vector<CubeState> states, bool opponent_doubles) const {
  return std::make_unique<SageStates>(std::move(states), opponent_doubles, table_);
}

void SageValues::begin(const Question& question, Scratch& scratch) const {
  SageScratch& s = of(scratch);
  if (s.roots[0] != question.root) {
    for (StaticCache& cache : s.caches) cache.clear();
    s.roots = {question.root, mirrored(question.root)};
    s.pinned = source_->pinned_network(question.root);
  }
  // Impossible outcomes are taken out of the leaves of a search only.
  s.clamps = question.plies > 0;
}

void SageValues::ratings(std::span<const Board> post_move, const Board& unmoved, const CubeStates& state, Place place,
                         std::span<double> ratings, std::span<float> ties, Scratch& scratch) const {
  SageScratch& s = of(scratch);
  const SageStates& states = sage_states(state);
  s.statics.resize(post_move.size());
  if (place.at_root()) {
    // The position before the play says which network judges all its results.
    source_->evaluate(post_move, source_->route(unmoved), unmoved, s.statics, *s.networks);
  } else if (place.depth == 1) {
    source_->evaluate_pinned(post_move, s.pinned, unmoved, s.statics, *s.networks);
  } else {
    evaluate_remembering(post_move, place, *source_, s);
  }
  count_finished(post_move, states.scoring(), s.statics);
  for (std::size_t i = 0; i < post_move.size(); ++i) {
    const Board& board = post_move[i];
    Probabilities& p = s.statics[i];
    if (place.at_root() && noise_.deviation > 0.0 && game_result(board) == 0 && !source_->exact(board)) {
      p = noise_.added_to(p, board);
    }
    ratings[i] = states.first(board, p);
    ties[i] = cubeless_equity(p);
  }
}

void SageValues::values(std::span<const Board> post_move, std::span<const std::uint32_t> picked,
                        const CubeStates& states, std::span<double> values, std::span<Probabilities> probabilities,
                        Scratch& scratch) const {
  SageScratch& s = of(scratch);
  for (std::size_t k = 0; k < picked.size(); ++k) {
    const Board& board = post_move[picked[k]];
    const Probabilities& p = s.statics[picked[k]];
    const Probabilities possible = s.clamps ? source_->clamped(p, board) : p;
    sage_states(states).all(board, possible, s.views, values.subspan(k * states.size(), states.size()));
    if (!probabilities.empty()) probabilities[k] = possible;
  }
}

void SageValues::static_values(std::span<const Board> post_move, const CubeStates& states, std::span<double> values,
                               std::span<Probabilities> probabilities, Scratch& scratch) const {
  if (post_move.empty()) return;
  SageScratch& s = of(scratch);
  source_->evaluate(post_move, StaticSource::kOwnNetwork, post_move.front(), probabilities, *s.networks);
  count_finished(post_move, sage_states(states).scoring(), probabilities);
  for (std::size_t i = 0; i < post_move.size(); ++i) {
    const Board& board = post_move[i];
    Probabilities& p = probabilities[i];
    if (noise_.deviation > 0.0 && game_result(board) == 0 && !source_->exact(board)) p = noise_.added_to(p, board);
    sage_states(states).all(board, p, s.views, values.subspan(i * states.size(), states.size()));
  }
}

void SageValues::rough_values(std::span<const Board> post_move, const Board& unmoved, std::span<float> out,
                              Scratch& scratch) const {
  if (rough_) {
    rough_->evaluate(post_move, unmoved, out, of(scratch).rough);
    return;
  }
  const bool race = is_race(unmoved);
  for (std::size_t i = 0; i < post_move.size(); ++i) {
    out[i] = own_borne_off(post_move[i]) == kCheckers
                 ? kFinished
                 : static_cast<float>(kRoughScale * source_->rough_value(post_move[i], race));
  }
}

bool SageValues::is_leaf(const Board& post_move, Scratch& /*scratch*/) const { return game_result(post_move) != 0; }

}  // namespace botd::fast
