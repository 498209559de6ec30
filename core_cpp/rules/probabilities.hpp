// Outcome probabilities of a game, shared by every evaluator.
#pragma once

namespace botd {

// Seen by the side named in the context. Not conditional: win includes win_gammon, which includes
// win_backgammon; losing is 1 - win.
struct Probabilities {
  float win = 0.0F;
  float win_gammon = 0.0F;
  float win_backgammon = 0.0F;
  float lose_gammon = 0.0F;
  float lose_backgammon = 0.0F;

  friend bool operator==(const Probabilities&, const Probabilities&) = default;
};

// The other side's view of the same event.
[[nodiscard]] constexpr Probabilities inverted(const Probabilities& p) {
  return {1.0F - p.win, p.lose_gammon, p.lose_backgammon, p.win_gammon, p.win_backgammon};
}

// Cubeless money equity in points for a cube at 1.
[[nodiscard]] constexpr float cubeless_equity(const Probabilities& p) {
  return 2.0F * p.win - 1.0F + p.win_gammon - p.lose_gammon + p.win_backgammon - p.lose_backgammon;
}

// result: +-1, 2, 3 as game_result() gives it.
[[nodiscard]] constexpr Probabilities terminal_probabilities(int result) {
  Probabilities p;
  if (result > 0) {
    p.win = 1.0F;
    p.win_gammon = result >= 2 ? 1.0F : 0.0F;
    p.win_backgammon = result >= 3 ? 1.0F : 0.0F;
  } else {
    p.lose_gammon = result <= -2 ? 1.0F : 0.0F;
    p.lose_backgammon = result <= -3 ? 1.0F : 0.0F;
  }
  return p;
}

}  // namespace botd
