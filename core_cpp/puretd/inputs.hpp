// PureTD's inputs, of a position seen by the side to play.
//
// For each of its 24 points in the numbering of the side to play: three thermometer inputs and half the checkers beyond three,
// first for its own checkers, then for the opposing ones; behind each block half the checkers on the bar and a fifteenth of
// those borne off. Inputs are written in units of 1/nets::kInputSteps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cube/cube_state.hpp"
#include "rules/board.hpp"

namespace botd::puretd {

inline constexpr std::size_t kBoardInputs = 196;
inline constexpr std::size_t kCubefulInputs = 200;

// Which of the two kinds of moment before a roll.
enum class Moment : std::uint8_t {
  kDice,  // nothing left but to roll
  kCube,  // the side to play may double and has not decided yet
};

// The moment at which a side gets a position that its opponent has just left it.
[[nodiscard]] constexpr Moment moment_of(CubeOwner cube) {
  return cube == CubeOwner::kOpponent ? Moment::kDice : Moment::kCube;
}

// Adds to inputs that are all zero.
void write_board_inputs(const Board& to_play, std::int16_t* inputs);

// The four inputs behind those of the board; `cube` as the side to play sees it.
void write_cube_inputs(CubeOwner cube, Moment moment, std::int16_t* inputs);

}  // namespace botd::puretd
