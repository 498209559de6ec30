// The plan a side follows; chooses the network of a contact position.
#pragma once

#include "sage/side_view.hpp"

namespace botd::sage {

enum class GamePlan { pure_race = 0, racing = 1, attacking = 2, priming = 3, anchoring = 4 };

// "purerace", "racing", "attacking", "priming", "anchoring".
[[nodiscard]] const char* name(GamePlan plan);

[[nodiscard]] GamePlan own_plan(const PositionView& view);
[[nodiscard]] GamePlan opponent_plan(const PositionView& view);

}  // namespace botd::sage
