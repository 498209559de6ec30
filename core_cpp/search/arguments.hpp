// What every search refuses. All functions throw std::invalid_argument that names what was expected.
#pragma once

#include "cube/cube_state.hpp"
#include "rules/board.hpp"

namespace botd {

// A cube and score that can be.
void check_state(const CubeState& state);

// A possible board of a game that is not over, a possible state, and 0 to kMaxPly plies.
void check_question(const Board& board, const CubeState& state, int ply);

void check_dice(int die1, int die2);

// 1 to kMaxThreads.
void check_threads(int threads);

}  // namespace botd
