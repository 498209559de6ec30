#include "sage/game_plan.hpp"

#include <bit>

namespace botd::sage {
namespace {

constexpr std::uint32_t kHome = bits(1, 6);

// Nobody of the other side is back in this side's home board.
GamePlan plan_unopposed(const SideView& me, const SideView& them, int back) {
  if (me.pips < them.pips) return GamePlan::racing;
  if (back >= 2) return GamePlan::anchoring;
  if (them.off > me.off && me.their_bar == 0 && (me.their_occupied() & bits(1, 13)) == 0)
    return GamePlan::attacking;
  return GamePlan::racing;
}

GamePlan plan_ahead(const SideView& me, int back) {
  if (checkers(me, 13, 25) == 0 && checkers(me, 7, 12) <= 3) return GamePlan::racing;
  if (checkers(me, 1, 12) <= 7) return GamePlan::racing;
  if (std::popcount(me.their_made & kHome) >= 2) return GamePlan::racing;
  if (me.their_bar > 0) return GamePlan::attacking;
  if (const std::uint32_t blots = me.their_blots & kHome; blots != 0) {
    const int blot = lowest(blots, 0);
    return (me.occupied & bits(blot + 1, 6)) != 0 ? GamePlan::attacking : GamePlan::racing;
  }
  if (back >= 2) return GamePlan::attacking;
  const int rear = highest(me.their_occupied() & bits(1, 5));
  if (rear == 0) return GamePlan::racing;
  return longest_run(me.made & bits(rear + 1, 11)) >= 3 ? GamePlan::priming : GamePlan::racing;
}

GamePlan plan_behind(const SideView& me, const SideView& them, int back) {
  const int blots = (me.their_bar > 0 ? 1 : 0) + std::popcount(me.their_blots & bits(1, 12));
  // 2 (p - p') / (p + p') <= 0.1 in whole numbers.
  const bool close = 20 * (me.pips - them.pips) <= me.pips + them.pips;
  if (me.off > them.off && checkers(me, 13, 25) == 0) return GamePlan::racing;
  if (std::popcount(me.made & kHome) < 4 && (me.made & bits(1, 3)) != 0 && (~me.occupied & bits(4, 6)) != 0) {
    if (close) return GamePlan::attacking;
    return back <= 1 ? GamePlan::racing : GamePlan::anchoring;
  }
  if ((me.their_made & bits(4, 6)) != 0) {
    if (back >= 2) return GamePlan::anchoring;
    return blots >= 1 && close ? GamePlan::attacking : GamePlan::racing;
  }
  if (std::popcount(me.occupied & bits(4, 12)) >= 4 || std::popcount(me.occupied & bits(5, 8)) >= 3)
    return GamePlan::priming;
  if (blots >= 1 && close) return GamePlan::attacking;
  return back >= 2 ? GamePlan::anchoring : GamePlan::priming;
}

GamePlan contact_plan(const SideView& me, const SideView& them) {
  const int back = checkers(me, 19, 25);
  const int their_back = checkers(them, 19, 25);
  if (their_back == 0) return plan_unopposed(me, them, back);
  return me.pips < them.pips ? plan_ahead(me, back) : plan_behind(me, them, back);
}

}  // namespace

const char* name(GamePlan plan) {
  switch (plan) {
    case GamePlan::pure_race:
      return "purerace";
    case GamePlan::racing:
      return "racing";
    case GamePlan::attacking:
      return "attacking";
    case GamePlan::priming:
      return "priming";
    case GamePlan::anchoring:
      return "anchoring";
  }
  return "";
}

GamePlan own_plan(const PositionView& view) {
  return view.race ? GamePlan::pure_race : contact_plan(view.own, view.opponent);
}

GamePlan opponent_plan(const PositionView& view) {
  return view.race ? GamePlan::pure_race : contact_plan(view.opponent, view.own);
}

}  // namespace botd::sage
