#include "sage/regions.hpp"

#include <bit>

namespace botd::sage {
namespace {

constexpr std::uint32_t kFarHome = bits(19, 24);

bool holds_snake(const SideView& holder, const SideView& other) {
  return longest_run(holder.made & bits(13, 24)) >= 4 && checkers(other, 19, 25) >= 1 &&
         checkers(other, 1, 6) >= 10;
}

bool contains(const SideView& container, const SideView& escaper) {
  if (escaper.off < 3) return false;
  const int rear = container.bar() > 0 ? 25 : highest(container.occupied);
  if (rear == 0) return false;
  // The container's point i is the escaper's 25 - i; stragglers stand on the container's 1..18 below `rear`.
  const int last = rear - 1 < 18 ? rear - 1 : 18;
  const int stragglers = checkers(escaper, 25 - last, 25);
  return stragglers >= 1 && stragglers <= 3;
}

int anchors(const SideView& side) { return std::popcount(side.made & kFarHome); }

bool holds_massive(const SideView& holder, const SideView& other) {
  const int count = anchors(holder);
  return count >= 2 && (count >= 3 || checkers(holder, 19, 25) >= 7) && holder.pips > other.pips;
}

BackGame category(const SideView& holder) {
  const std::uint32_t depths = reversed_points(holder.made & kFarHome);  // bits 1..6
  const int count = std::popcount(depths);
  if (count < 2) return BackGame::none;
  if (std::popcount(depths & bits(1, 3)) >= 2) return BackGame::deep;
  if (count == 2 && (depths & bits(1, 2)) == 0) return BackGame::twin;
  return BackGame::middle;
}

BackGamePhase phase_against(const SideView& runner) {
  const int stragglers = checkers(runner, 19, 25);
  if (stragglers >= 1)
    return runner.off <= 2 ? BackGamePhase::early_containment : BackGamePhase::late_containment;
  return checkers(runner, 1, 6) >= 10 || runner.off >= 1 ? BackGamePhase::bear_in : BackGamePhase::waiting;
}

}  // namespace

bool is_snake(const PositionView& view) {
  return holds_snake(view.own, view.opponent) || holds_snake(view.opponent, view.own);
}

bool is_containment(const PositionView& view) {
  return contains(view.own, view.opponent) || contains(view.opponent, view.own);
}

bool is_massive(const PositionView& view) {
  if (!holds_massive(view.own, view.opponent) && !holds_massive(view.opponent, view.own)) return false;
  return !is_snake(view) && !is_containment(view);
}

BackGame back_game_category(const PositionView& view) {
  return back_game_category(view, own_plan(view), opponent_plan(view));
}

BackGame back_game_category(const PositionView& view, GamePlan own, GamePlan opponent) {
  if (own == GamePlan::anchoring && opponent == GamePlan::racing && view.own.pips > view.opponent.pips)
    return category(view.own);
  if (own == GamePlan::racing && opponent == GamePlan::anchoring && view.opponent.pips > view.own.pips)
    return category(view.opponent);
  return BackGame::none;
}

BackGamePhase back_game_phase(const PositionView& view) {
  if (anchors(view.own) >= 2 && view.own.pips > view.opponent.pips) return phase_against(view.opponent);
  if (anchors(view.opponent) >= 2 && view.opponent.pips > view.own.pips) return phase_against(view.own);
  return BackGamePhase::none;
}

const char* name(BackGame category) {
  switch (category) {
    case BackGame::none:
      return "none";
    case BackGame::deep:
      return "deep";
    case BackGame::middle:
      return "middle";
    case BackGame::twin:
      return "double";
  }
  return "";
}

const char* name(BackGamePhase phase) {
  switch (phase) {
    case BackGamePhase::none:
      return "none";
    case BackGamePhase::waiting:
      return "waiting";
    case BackGamePhase::bear_in:
      return "bear_in";
    case BackGamePhase::early_containment:
      return "early_containment";
    case BackGamePhase::late_containment:
      return "late_containment";
  }
  return "";
}

}  // namespace botd::sage
