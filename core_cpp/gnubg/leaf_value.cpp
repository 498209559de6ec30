#include "gnubg/leaf_value.hpp"

#include <algorithm>
#include <cmath>

namespace botd::gnubg {
namespace {

constexpr double kBearoffEfficiency = 0.6;
constexpr double kNoDifference = 1e-4;  // dead and live cube are worth the same

double owner_equity(const bearoff::TwoSidedEquities& equities, CubeOwner owner) {
  switch (owner) {
    case CubeOwner::kOwn:
      return equities.owned;
    case CubeOwner::kOpponent:
      return equities.opponent;
    case CubeOwner::kCentered:
      break;
  }
  return equities.centered;
}

// Without gammons the live cube's worth depends on its place alone; the Jacoby rule does not matter.
double live_without_gammons(double win, CubeOwner owner) {
  constexpr double kTakePoint = 0.2;
  constexpr double kCashPoint = 0.8;
  const double low = owner == CubeOwner::kOwn ? 0.0 : kTakePoint;
  const double high = owner == CubeOwner::kOpponent ? 1.0 : kCashPoint;
  return std::clamp((2.0 * win - low - high) / (high - low), -1.0, 1.0);
}

}  // namespace

double cube_efficiency(PositionClass position_class, const Board& on_roll, EfficiencySet set) {
  const bool shallow = set == EfficiencySet::kShallow;
  switch (position_class) {
    case PositionClass::kOver:
      return 0.0;
    case PositionClass::kTwoSided:
    case PositionClass::kOneSided:
      return kBearoffEfficiency;
    case PositionClass::kRace:
      return shallow ? std::clamp(0.60 + 0.0025 * own_pips(on_roll), 0.6, 0.8)
                     : std::clamp(0.55 + 0.00125 * own_pips(on_roll), 0.6, 0.7);
    case PositionClass::kCrashed:
    case PositionClass::kContact:
      break;
  }
  return shallow ? 0.76 : 0.68;
}

Leaf::Leaf(const StaticSource& source, const Board& on_roll, const Position& position,
           PositionClass position_class, const Probabilities& probabilities, EfficiencySet set,
           DropCosts costs)
    : probabilities_(probabilities),
      efficiency_(cube_efficiency(position_class, on_roll, set)),
      costs_(costs) {
  if (position_class == PositionClass::kTwoSided) exact_ = source.two_sided(position);
}

double Leaf::value(const CubeValue& state) const {
  if (!exact_) return state.value(probabilities_, efficiency_, costs_);
  return state.is_money() ? owner_equity(*exact_, state.state().owner) : exact_match_value(state);
}

double Leaf::exact_match_value(const CubeValue& state) const {
  // The efficiency at which the formula for money would give the exact money equity.
  const CubeOwner owner = state.state().owner;
  const double cubeless = exact_->cubeless;
  const double live = live_without_gammons((cubeless + 1.0) / 2.0, owner);
  double efficiency = kBearoffEfficiency;
  if (std::abs(cubeless - live) > kNoDifference) {
    efficiency = (owner_equity(*exact_, owner) - cubeless) / (live - cubeless);
    efficiency = std::clamp(efficiency, 0.0, kBearoffEfficiency);
  }
  return state.value(probabilities_, efficiency, costs_);
}

}  // namespace botd::gnubg
