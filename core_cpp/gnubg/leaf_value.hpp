// Cubeful value of a position that is not searched.
#pragma once

#include <cstdint>
#include <optional>

#include "bearoff/two_sided.hpp"
#include "gnubg/cube_value.hpp"
#include "gnubg/position_class.hpp"
#include "gnubg/static_source.hpp"
#include "rules/board.hpp"
#include "rules/probabilities.hpp"
#include "rules/scoring.hpp"

namespace botd::gnubg {

// gnubg 1.08 knows two sets of cube efficiencies; which one counts is a matter of the depth asked for at the
// root. 1.07 has the first only (gnubg-evaluator specification 11.2).
enum class EfficiencySet : std::uint8_t { kStandard, kShallow };

// Weight of the live cube (Janowski's x) at a position seen by the side on roll. Not used for two-sided
// positions of money play, which are exact.
[[nodiscard]] double cube_efficiency(PositionClass position_class, const Board& on_roll, EfficiencySet set);

// One position with all that its value in any cube state needs.
class Leaf {
 public:
  // `position` is that of `on_roll`.
  Leaf(const StaticSource& source, const Board& on_roll, const Position& position,
       PositionClass position_class, const Probabilities& probabilities, EfficiencySet set, DropCosts costs);

  [[nodiscard]] const Probabilities& probabilities() const { return probabilities_; }

  // Native value for the side on roll, before its decision to double.
  [[nodiscard]] double value(const CubeValue& state) const;

 private:
  [[nodiscard]] double exact_match_value(const CubeValue& state) const;

  Probabilities probabilities_;
  double efficiency_ = 0.0;
  DropCosts costs_;
  std::optional<bearoff::TwoSidedEquities> exact_;
};

}  // namespace botd::gnubg
