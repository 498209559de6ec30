// How many checkers stand on a point, as four network inputs.
#pragma once

#include "gnubg/active_inputs.hpp"

namespace botd::gnubg {

inline constexpr int kPointInputs = 4;

// One, two, three or more checkers, and half of those beyond three. n > 0.
inline void add_point(int first_input, int n, ActiveInputs& inputs) {
  inputs.add(first_input + (n < 3 ? n - 1 : 2), 1.0F);
  inputs.add(first_input + 3, n > 3 ? static_cast<float>(n - 3) * 0.5F : 0.0F);
}

}  // namespace botd::gnubg
