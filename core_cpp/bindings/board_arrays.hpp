// Many boards at once between Python and C++, as buffers instead of objects: numpy arrays and whatever else has
// Python's buffer protocol come in, memoryviews go out (numpy.asarray takes those without a copy).
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rules/board.hpp"
#include "rules/probabilities.hpp"

namespace botd::bindings {

struct Dice {
  std::uint8_t die1;
  std::uint8_t die2;
};

// int8 of shape (n, 26). Throws std::invalid_argument (ValueError) for another type or shape and for impossible
// boards, naming the first of them.
[[nodiscard]] std::vector<Board> boards_from_buffer(const pybind11::buffer& boards);

// uint8 of shape (n, 2) with n = `expected`. Throws as above, also for dice other than 1 to 6.
[[nodiscard]] std::vector<Dice> dice_from_buffer(const pybind11::buffer& dice, std::size_t expected);

// Rows that Python owns from now on.
[[nodiscard]] pybind11::memoryview to_memory(std::vector<Board>&& rows);          // int8 (n, 26)
[[nodiscard]] pybind11::memoryview to_memory(std::vector<Probabilities>&& rows);  // float32 (n, 5)
[[nodiscard]] pybind11::memoryview to_memory(std::vector<std::int64_t>&& rows);   // int64 (n,)
[[nodiscard]] pybind11::memoryview to_memory(std::vector<double>&& rows);         // float64 (n,)

[[nodiscard]] pybind11::memoryview to_memory(std::vector<std::array<double, 4>>&& rows);        // float64 (n, 4)
[[nodiscard]] pybind11::memoryview to_memory(std::vector<std::array<std::uint8_t, 3>>&& rows);  // uint8 (n, 3)

}  // namespace botd::bindings
