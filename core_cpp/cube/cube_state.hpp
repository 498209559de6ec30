// The doubling cube and the score around it.
#pragma once

#include <cstdint>

#include "rules/scoring.hpp"

namespace botd {

// No cube goes higher, whatever a server allows.
inline constexpr int kMaxCube = 4096;

enum class CubeOwner : std::uint8_t { kCentered, kOwn, kOpponent };

// Everything as seen by one side ("own"). A need of 0 points on both sides is money play.
// Every evaluator's conversion honours all of it: chances are looked up with `seat`, a capped() cube is dead and
// its last turn a dead double, and with Scoring::kBgammon a drop costs each side drop_costs() of the position
// (in double/pass, in take points and inside a search) and a finished game counts as game_result() with it.
struct CubeState {
  int value = 1;
  CubeOwner owner = CubeOwner::kCentered;
  int own_away = 0;
  int opponent_away = 0;
  bool crawford = false;  // this very game is the Crawford game
  bool jacoby = false;    // money only: gammons count once the cube was turned
  bool beavers = false;   // money only: the taker may redouble at once and keep the cube
  int max_value = 0;      // the server lets nobody turn the cube beyond; 0: up to kMaxCube
  Scoring scoring = Scoring::kStandard;
  std::uint8_t seat = 0;  // which player of an asymmetric match equity table the own side is, 0 or 1

  [[nodiscard]] constexpr bool is_money() const { return own_away == 0; }
  // Nobody may turn this cube any more.
  [[nodiscard]] constexpr bool capped() const { return value >= (max_value > 0 ? max_value : kMaxCube); }
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
  state.seat = static_cast<std::uint8_t>(1 - state.seat);
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
  if (state.capped() || state.owner == CubeOwner::kOpponent) return false;
  if (state.is_money()) return true;
  return !state.crawford && state.own_away > state.value && state.own_away != 1;
}

// A money cube that nobody can turn: makes cubeful machinery cubeless.
[[nodiscard]] constexpr CubeState capped_money_cube() {
  CubeState state;
  state.max_value = 1;
  return state;
}

}  // namespace botd
