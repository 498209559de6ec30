// Features about hitting the other side's blots.
#pragma once

#include "sage/side_view.hpp"

namespace botd::sage {

// Number of the 36 rolls that hit some blot, as if no checker had to enter first.
[[nodiscard]] int hitting_rolls(const SideView& me);

// Number of ordered rolls (x, y) that hit two blots.
[[nodiscard]] int double_hitting_rolls(const SideView& me);

// Pips that the other side loses by the best hit, summed over the 36 rolls.
[[nodiscard]] int pips_hit(const SideView& me);

}  // namespace botd::sage
