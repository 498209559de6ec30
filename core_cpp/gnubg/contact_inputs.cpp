#include "gnubg/contact_inputs.hpp"

#include "gnubg/base_inputs.hpp"
#include "gnubg/features.hpp"

namespace botd::gnubg {

void add_contact_inputs(const Position& position, PositionClass position_class, Profile profile,
                        ActiveInputs& inputs) {
  add_base_inputs(position, inputs);
  inputs.add_all(kBaseInputs, features(position.roller, position.other, position_class, profile));
  inputs.add_all(kBaseInputs + kFeatures, features(position.other, position.roller, position_class, profile));
}

}  // namespace botd::gnubg
