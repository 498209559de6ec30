// Special regions of contact positions that have networks of their own. All tests give the same answer for
// both views of a position.
#pragma once

#include "sage/game_plan.hpp"
#include "sage/side_view.hpp"

namespace botd::sage {

// A prime of four or more on the far side of the board against the other side's trapped checkers.
[[nodiscard]] bool is_snake(const PositionView& view);

// One side has three or more checkers off and one to three stragglers behind the other.
[[nodiscard]] bool is_containment(const PositionView& view);

// A back game with three anchors, or two and seven checkers back. Excludes the two regions above.
[[nodiscard]] bool is_massive(const PositionView& view);

enum class BackGame { none, deep, middle, twin };

// Which pair of anchors the side that plays the back game holds; `twin` is two high ones ("double").
[[nodiscard]] BackGame back_game_category(const PositionView& view);
// The same where the plans are known: own_plan() and opponent_plan() of the view.
[[nodiscard]] BackGame back_game_category(const PositionView& view, GamePlan own, GamePlan opponent);
// "none", "deep", "middle", "double".
[[nodiscard]] const char* name(BackGame category);

enum class BackGamePhase { none, waiting, bear_in, early_containment, late_containment };

[[nodiscard]] BackGamePhase back_game_phase(const PositionView& view);
[[nodiscard]] const char* name(BackGamePhase phase);

}  // namespace botd::sage
