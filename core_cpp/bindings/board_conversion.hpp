// Boards between Python (26 integers) and C++.
#pragma once

#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>

#include "rules/board.hpp"

namespace botd::bindings {

// Throws std::invalid_argument (ValueError) for anything but 26 integers that form a possible board.
inline Board board_from_python(const pybind11::sequence& points) {
  Board board;
  if (points.size() != board.points.size()) {
    throw std::invalid_argument("board: expected 26 integers, got " + std::to_string(points.size()));
  }
  for (std::size_t i = 0; i < board.points.size(); ++i) {
    const pybind11::object item = points[i];
    int overflow = 0;
    const long value = PyLong_Check(item.ptr()) ? PyLong_AsLongAndOverflow(item.ptr(), &overflow) : 1000;
    if (overflow != 0 || value < -kCheckers || value > kCheckers) {
      throw std::invalid_argument("board: expected an integer from -15 to 15 at index " + std::to_string(i));
    }
    board.at(i) = static_cast<std::int8_t>(value);
  }
  if (const char* error = board_error(board)) throw std::invalid_argument(std::string("board: ") + error);
  return board;
}

inline pybind11::tuple board_to_python(const Board& board) {
  pybind11::tuple points(board.points.size());
  for (std::size_t i = 0; i < board.points.size(); ++i) points[i] = board[i];
  return points;
}

}  // namespace botd::bindings
