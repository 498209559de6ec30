#include "sage/routing.hpp"

#include "sage/regions.hpp"

namespace botd::sage {

int route(const PositionView& view) {
  if (view.race) return 0;
  if (is_snake(view)) return 22;
  if (is_containment(view)) return 21;
  if (is_massive(view)) return 23;
  switch (back_game_category(view)) {
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
  const int own = static_cast<int>(own_plan(view));
  const int opponent = static_cast<int>(opponent_plan(view));
  return 1 + 4 * (own - 1) + (opponent - 1);
}

}  // namespace botd::sage
