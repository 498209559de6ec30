// What the position makes impossible or certain, whatever a network says.
#pragma once

#include "gnubg/bearoff_lookup.hpp"
#include "gnubg/side.hpp"
#include "rules/probabilities.hpp"

namespace botd::gnubg {

// Clamps to [0, 1], decides races by the fewest and the most rolls that a side can need, removes gammons and
// backgammons that cannot happen, and orders the outcomes (win >= win_gammon and so on). The game is not over.
void apply_sanity(const Position& position, const BearoffLookup& bearoff, Probabilities& p);

}  // namespace botd::gnubg
