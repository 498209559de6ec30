// Inputs of the race network.
#pragma once

#include "gnubg/active_inputs.hpp"
#include "gnubg/side.hpp"

namespace botd::gnubg {

// Inputs 0..106 encode the side that is not on roll, 107..213 the side on roll: four per index, one for each
// number of checkers off, and the crossovers to come home. Without contact, so that indices 23 and 24 are empty.
void add_race_inputs(const Position& position, ActiveInputs& inputs);

}  // namespace botd::gnubg
