#include "gnubg/contact_inputs.hpp"

#include "gnubg/base_inputs.hpp"
#include "gnubg/features.hpp"

namespace botd::gnubg {

void add_contact_inputs(const Position& position, PositionClass position_class, Profile profile,
                        ActiveInputs& inputs) {
  add_base_inputs(position, inputs);
  int input = kBaseInputs;
  for (const float value : features(position.roller, position.other, position_class, profile))
    inputs.add(input++, value);
  for (const float value : features(position.other, position.roller, position_class, profile))
    inputs.add(input++, value);
}

}  // namespace botd::gnubg
