// The doubling cube and the score around it.
#pragma once

#include <cstdint>

namespace botd {

enum class CubeOwner : std::uint8_t { kCentered, kOwn, kOpponent };

// Everything as seen by one side ("own"). A need of 0 points on both sides is money play.
struct CubeState {
  int value = 1;
  CubeOwner owner = CubeOwner::kCentered;
  int own_away = 0;
  int opponent_away = 0;
  bool crawford = false;  // this very game is the Crawford game
  bool jacoby = false;    // money only: gammons count once the cube was turned
  bool beavers = false;   // money only: the taker may redouble at once and keep the cube
  bool capped = false;    // nobody may turn this cube (for cubeless trees)

  [[nodiscard]] constexpr bool is_money() const { return own_away == 0; }
  [[nodiscard]] constexpr bool jacoby_active() const {
    return jacoby && is_money() && owner == CubeOwner::kCentered;
  }

  friend constexpr bool operator==(const CubeState&, const CubeState&) = default;
};

// The same cube seen by the other side.
[[nodiscard]] constexpr CubeState other_side(CubeState state) {
  if (state.owner != CubeOwner::kCentered) {
    state.owner = state.owner == CubeOwner::kOwn ? CubeOwner::kOpponent : CubeOwner::kOwn;
  }
  const int away = state.own_away;
  state.own_away = state.opponent_away;
  state.opponent_away = away;
  return state;
}

// After the own side doubled and the other side took.
[[nodiscard]] constexpr CubeState doubled(CubeState state) {
  state.value *= 2;
  state.owner = CubeOwner::kOpponent;
  return state;
}

// Whether the own side, on roll, may double: not in the Crawford game, and in a match only if it gains from
// a cube at twice the value and is not already one point from winning.
[[nodiscard]] constexpr bool may_double(const CubeState& state) {
  if (state.capped || state.owner == CubeOwner::kOpponent) return false;
  if (state.is_money()) return true;
  return !state.crawford && state.own_away > state.value && state.own_away != 1;
}

// A money cube that nobody can turn: makes cubeful machinery cubeless.
[[nodiscard]] constexpr CubeState capped_money_cube() {
  CubeState state;
  state.capped = true;
  return state;
}

}  // namespace botd
