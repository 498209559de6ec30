// The checkers on each point and the bar: all inputs of the pruning networks, the first of contact and crashed.
#pragma once

#include "gnubg/active_inputs.hpp"
#include "gnubg/side.hpp"

namespace botd::gnubg {

// Inputs 0..99 encode the side that is not on roll, 100..199 the side on roll, four per index.
void add_base_inputs(const Position& position, ActiveInputs& inputs);

}  // namespace botd::gnubg
