#include "sage/routing.hpp"

#include "sage/regions.hpp"

namespace botd::sage {

int route(const PositionView& view) {
  if (view.race) return 0;
  if (is_snake(view)) return 22;
  if (is_containment(view)) return 21;
  if (is_massive(view)) return 23;
  const GamePlan own = own_plan(view);
  const GamePlan opponent = opponent_plan(view);
  switch (back_game_category(view, own, opponent)) {
    case BackGame::deep:
      return 17;
    case BackGame::middle:
      return 18;
    case BackGame::twin:
      return 19;
    case BackGame::none:
      break;
  }
  if (back_game_phase(view) == BackGamePhase::early_containment) return 20;
  return 1 + 4 * (static_cast<int>(own) - 1) + (static_cast<int>(opponent) - 1);
}

}  // namespace botd::sage
