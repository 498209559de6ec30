// What a decision is asked about, out of Python: score and cube, dice, time.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <utility>

#include "cube/cube_state.hpp"
#include "rules/board.hpp"
#include "search/deadline.hpp"

namespace botd::bindings {

// The core's terms for a botd.engine.types.GameContext (or anything with its attributes): points still needed
// instead of scores. Throws std::invalid_argument (ValueError) saying what is impossible.
[[nodiscard]] CubeState cube_state_from_python(pybind11::handle context);

// Two integers from 1 to 6, else std::invalid_argument.
[[nodiscard]] std::pair<int, int> dice_from_python(pybind11::handle dice);

// Like board_from_python, of any iterable.
[[nodiscard]] Board board_from_iterable(const pybind11::object& board);

// None is no limit. Throws std::invalid_argument for NaN.
[[nodiscard]] Deadline deadline_from_seconds(std::optional<double> seconds);

// Searches without the interpreter's lock, static answers with it: they take less time than it takes to get the
// lock back from a busy thread.
template <typename Answer>
auto answer_at(int ply, Answer&& answer) {
  if (ply == 0) return answer();
  const pybind11::gil_scoped_release release;
  return answer();
}

}  // namespace botd::bindings
