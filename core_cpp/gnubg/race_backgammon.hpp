// Backgammons in races: computed instead of left to the race network.
#pragma once

#include "gnubg/bearoff_lookup.hpp"
#include "gnubg/clearing.hpp"
#include "gnubg/side.hpp"
#include "rules/probabilities.hpp"

namespace botd::gnubg {

// Replaces the chance of the one side that can win a backgammon, and raises its gammons to it. Nothing changes if
// no side can. The position is a race; needs the one-sided database.
void set_race_backgammons(const Position& position, const BearoffLookup& bearoff, const ClearingTable& clearing,
                          Probabilities& p);

}  // namespace botd::gnubg
