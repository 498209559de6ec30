#include "fast/gnubg_values.hpp"

#include <algorithm>
#include <utility>

#include "fast/static_cache.hpp"
#include "gnubg/cube_value.hpp"
#include "rules/moves.hpp"
#include "rules/scoring.hpp"

namespace botd::fast {
namespace {

using gnubg::EfficiencySet;
using gnubg::PositionClass;
using Number = gnubg::StaticSource::Number;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

class GnubgStates final : public CubeStates {
 public:
  GnubgStates(std::vector<CubeState> states, bool opponent_doubles, const MatchEquityTable& table)
      : CubeStates(std::move(states), opponent_doubles) {
    std::vector<CubeState> wanted;
    const auto place = [&wanted](const CubeState& state) {
      const auto found = std::find(wanted.begin(), wanted.end(), state);
      if (found != wanted.end()) return static_cast<std::size_t>(found - wanted.begin());
      wanted.push_back(state);
      return wanted.size() - 1;
    };
    for (const CubeState& own : this->states()) {
      const CubeState opponent = other_side(own);
      const std::size_t no_double = place(opponent);
      const bool doubles = opponent_doubles && may_double(opponent);
      pairs_.push_back({no_double, doubles ? place(per_unit(doubled(opponent))) : kNone});
    }
    opponents_.reserve(wanted.size());
    for (const CubeState& state : wanted) opponents_.emplace_back(state, table);
  }

  [[nodiscard]] Scoring scoring() const { return states().front().scoring; }

  // Of the first out.size() states, for the side that has moved.
  void convert(const gnubg::Leaf& leaf, DropCosts costs, std::vector<double>& opponents,
               std::span<double> out) const {
    opponents.assign(opponents_.size(), 0.0);
    std::size_t known = 0;
    const auto value = [&](std::size_t i) {
      for (; known <= i; ++known) opponents[known] = leaf.value(opponents_[known]);
      return opponents[i];
    };
    for (std::size_t j = 0; j < out.size(); ++j) {
      const Pair& pair = pairs_[j];
      const gnubg::CubeValue& opponent = opponents_[pair.no_double];
      double worth = value(pair.no_double);
      if (pair.double_take != kNone) {
        worth = gnubg::collapsed(opponent, worth, value(pair.double_take), costs.opponent);
      }
      out[j] = opponent.other_side(worth);
    }
  }

  [[nodiscard]] const gnubg::CubeValue& first() const { return opponents_.front(); }

 private:
  // What an asked-for state is made of: places in opponents_, in the order in which they are first needed.
  struct Pair {
    std::size_t no_double = 0;
    std::size_t double_take = kNone;
  };

  std::vector<gnubg::CubeValue> opponents_;  // different states, as the opponent sees them
  std::vector<Pair> pairs_;
};

const GnubgStates& gnubg_states(const CubeStates& states) { return static_cast<const GnubgStates&>(states); }

struct GnubgScratch final : ValueSource::Scratch {
  explicit GnubgScratch(std::size_t cache_bytes) : cache(cache_bytes) {}

  std::unique_ptr<gnubg::StaticSource::Scratch> networks;
  StaticCache cache;
  EfficiencySet efficiencies = EfficiencySet::kStandard;
  bool money = false;
  // Of the latest ratings(), each seen by the side on roll.
  std::vector<Board> turned;
  std::vector<gnubg::Position> positions;
  std::vector<PositionClass> classes;
  std::vector<Probabilities> statics;
  // Of one batch.
  std::vector<std::size_t> hashes;
  std::vector<Number> wanted;
  std::vector<Probabilities> found;
  std::vector<double> opponents;
  PruneNet::Workspace rough;
};

GnubgScratch& of(ValueSource::Scratch& scratch) { return static_cast<GnubgScratch&>(scratch); }

void take_in(std::span<const Board> post_move, const gnubg::StaticSource& source, GnubgScratch& s) {
  const std::size_t count = post_move.size();
  s.turned.resize(count);
  s.positions.resize(count);
  s.classes.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    s.turned[i] = mirrored(post_move[i]);
    s.positions[i] = gnubg::position_of(s.turned[i]);
    s.classes[i] = source.classify(s.positions[i]);
  }
}

}  // namespace

GnubgValues::GnubgValues(std::shared_ptr<const gnubg::StaticSource> source, gnubg::Profile profile,
                         const MatchEquityTable& table, std::shared_ptr<const PruneNet> rough)
    : source_(std::move(source)), profile_(profile), table_(table), rough_(std::move(rough)) {}

std::unique_ptr<ValueSource::Scratch> GnubgValues::make_scratch(std::size_t cache_bytes) const {
  auto scratch = std::make_unique<GnubgScratch>(cache_bytes);
  scratch->networks = source_->make_scratch();
  return scratch;
}

std::unique_ptr<const CubeStates> GnubgValues::prepared(std::vector<CubeState> states,
                                                        bool opponent_doubles) const {
  return std::make_unique<GnubgStates>(std::move(states), opponent_doubles, table_);
}

void GnubgValues::begin(const Question& question, Scratch& scratch) const {
  GnubgScratch& s = of(scratch);
  // gnubg 1.08 has another set of efficiencies wherever 0 or 1 ply is asked for.
  const bool shallow = profile_ == gnubg::Profile::kB && question.plies <= 1;
  s.efficiencies = shallow ? EfficiencySet::kShallow : EfficiencySet::kStandard;
  s.money = question.state.is_money();
}

void GnubgValues::ratings(std::span<const Board> post_move, const Board& /*unmoved*/, const CubeStates& state,
                          Place /*place*/, std::span<double> ratings, std::span<float> ties,
                          Scratch& scratch) const {
  GnubgScratch& s = of(scratch);
  const GnubgStates& states = gnubg_states(state);
  const std::size_t count = post_move.size();
  take_in(post_move, *source_, s);
  s.statics.resize(count);
  s.hashes.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    s.hashes[i] = hash_value(post_move[i]);
    s.cache.prefetch(s.hashes[i]);
  }
  s.wanted.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (const Probabilities* known = s.cache.find(post_move[i], s.hashes[i])) {
      s.statics[i] = *known;
    } else {
      s.wanted.push_back(static_cast<Number>(i));
    }
  }
  s.found.resize(s.wanted.size());
  source_->evaluate(s.positions, s.classes, s.wanted, s.found, *s.networks);
  for (std::size_t k = 0; k < s.wanted.size(); ++k) {
    const Number i = s.wanted[k];
    s.statics[i] = s.found[k];
    s.cache.store(post_move[i], s.hashes[i], s.found[k]);
  }
  count_finished(s.turned, states.scoring(), s.statics);
  for (std::size_t i = 0; i < count; ++i) {
    const DropCosts costs = drop_costs(s.turned[i], states.scoring());
    const gnubg::Leaf leaf(*source_, s.turned[i], s.positions[i], s.classes[i], s.statics[i], s.efficiencies, costs);
    states.convert(leaf, costs, s.opponents, ratings.subspan(i, 1));
    ties[i] = -static_cast<float>(states.first().shown_cubeless_equity(s.statics[i]));
  }
}

void GnubgValues::values(std::span<const Board> /*post_move*/, std::span<const std::uint32_t> picked,
                         const CubeStates& states, std::span<double> values,
                         std::span<Probabilities> probabilities, Scratch& scratch) const {
  GnubgScratch& s = of(scratch);
  for (std::size_t k = 0; k < picked.size(); ++k) {
    const std::size_t i = picked[k];
    const DropCosts costs = drop_costs(s.turned[i], gnubg_states(states).scoring());
    const gnubg::Leaf leaf(*source_, s.turned[i], s.positions[i], s.classes[i], s.statics[i], s.efficiencies, costs);
    gnubg_states(states).convert(leaf, costs, s.opponents, values.subspan(k * states.size(), states.size()));
    if (!probabilities.empty()) probabilities[k] = inverted(s.statics[i]);
  }
}

void GnubgValues::rough_values(std::span<const Board> post_move, const Board& unmoved, std::span<float> out,
                               Scratch& scratch) const {
  rough_->evaluate(post_move, unmoved, out, of(scratch).rough);
}

bool GnubgValues::is_leaf(const Board& post_move, Scratch& scratch) const {
  const PositionClass kind = source_->classify(gnubg::position_of(mirrored(post_move)));
  // In a match the database knows the chances but not what the cube is worth.
  return kind == PositionClass::kOver || (kind == PositionClass::kTwoSided && of(scratch).money);
}

}  // namespace botd::fast
