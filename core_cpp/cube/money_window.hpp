// Take and cash points of a fully live cube in money play.
#pragma once

#include "cube/cube_state.hpp"

namespace botd {

struct MoneyWindow {
  double take_point = 0.0;  // winning chance of the side that takes
  double cash_point = 0.0;  // winning chance of the doubler from which on the other side passes
};

// By the average sizes of a win and a loss (1 to 3), with the cube centred or owned by the side in question.
// Formula: Rick Janowski, "Take-Points in Money Games" (1993); where the server limits the cube, worked down
// from its last turn, after which it is dead.
[[nodiscard]] MoneyWindow money_window(double average_win, double average_loss, const CubeState& state);

}  // namespace botd
