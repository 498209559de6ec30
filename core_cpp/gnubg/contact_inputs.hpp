// Inputs of the contact and crashed networks.
#pragma once

#include "gnubg/active_inputs.hpp"
#include "gnubg/position_class.hpp"
#include "gnubg/profile.hpp"
#include "gnubg/side.hpp"

namespace botd::gnubg {

// Inputs 0..199 are the base inputs, 200..224 the features of the side on roll, 225..249 those of the other.
// `position_class` is kContact or kCrashed.
void add_contact_inputs(const Position& position, PositionClass position_class, Profile profile,
                        ActiveInputs& inputs);

}  // namespace botd::gnubg
