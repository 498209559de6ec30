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
  const auto check_size = [&board](std::size_t size) {
    if (size == board.points.size()) return;
    throw std::invalid_argument("board: expected 26 integers, got " + std::to_string(size));
  };
  check_size(points.size());
  // A tuple or list is read where it lies, anything else through a copy.
  const auto items = pybind11::reinterpret_steal<pybind11::object>(PySequence_Fast(points.ptr(), ""));
  if (!items) throw pybind11::error_already_set();
  check_size(static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.ptr())));
  for (std::size_t i = 0; i < board.points.size(); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i));
    int overflow = 0;
    const long value = PyLong_Check(item) ? PyLong_AsLongAndOverflow(item, &overflow) : 1000;
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
  for (std::size_t i = 0; i < board.points.size(); ++i) {
    PyObject* number = PyLong_FromLong(board[i]);  // small numbers exist already: no failure
    PyTuple_SET_ITEM(points.ptr(), static_cast<Py_ssize_t>(i), number);
  }
  return points;
}

}  // namespace botd::bindings
