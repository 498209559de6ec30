#include "bindings/board_arrays.hpp"

#include <cstring>
#include <stdexcept>
#include <string_view>

#include "bindings/bindings.hpp"
#include "rules/board_bits.hpp"

namespace py = pybind11;

namespace botd::bindings {
namespace {

// Memory of a vector with what Python needs to know about it.
struct Rows {
  std::shared_ptr<void> owner;
  void* data = nullptr;
  py::ssize_t item_size = 0;
  std::string format;
  std::vector<py::ssize_t> shape;
};

template <typename Item, typename Row>
py::memoryview rows_to_memory(std::vector<Row>&& rows, std::vector<py::ssize_t> shape) {
  auto owner = std::make_shared<std::vector<Row>>(std::move(rows));
  void* const data = owner->data();
  Rows view{std::move(owner), data, sizeof(Item), py::format_descriptor<Item>::format(), std::move(shape)};
  return py::memoryview(py::cast(std::move(view)));
}

py::ssize_t length(std::size_t n) { return static_cast<py::ssize_t>(n); }

std::string shape_text(const py::buffer_info& info) {
  std::string text = "(";
  for (const py::ssize_t n : info.shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + (info.ndim == 1 ? ",)" : ")");
}

// One-byte items of shape (n, columns).
py::buffer_info byte_table(const py::buffer& buffer, const char* what, const char* type, std::string_view format,
                           py::ssize_t columns) {
  py::buffer_info info = buffer.request();
  if (info.format == format && info.ndim == 2 && info.shape[1] == columns) return info;
  throw std::invalid_argument(std::string(what) + ": expected a buffer of type " + type + " and shape (n, " +
                              std::to_string(columns) + "), got type '" + info.format + "' and shape " +
                              shape_text(info));
}

const std::int8_t* row(const py::buffer_info& info, std::size_t i) {
  return static_cast<const std::int8_t*>(info.ptr) + static_cast<py::ssize_t>(i) * info.strides[0];
}

}  // namespace

std::vector<Board> boards_from_buffer(const py::buffer& buffer) {
  const py::buffer_info info = byte_table(buffer, "boards", "int8", "b", 26);
  std::vector<Board> boards(static_cast<std::size_t>(info.shape[0]));
  for (std::size_t i = 0; i < boards.size(); ++i) {
    Board& board = boards[i];
    const std::int8_t* const from = row(info, i);
    if (info.strides[1] == 1) {
      std::memcpy(board.points.data(), from, board.points.size());
    } else {
      for (std::size_t k = 0; k < board.points.size(); ++k)
        board.at(k) = from[static_cast<py::ssize_t>(k) * info.strides[1]];
    }
    const char* error = "expected integers from -15 to 15";
    if (places_above(board, kCheckers) == 0 && places_below(board, -kCheckers) == 0) error = board_error(board);
    if (error != nullptr) throw std::invalid_argument("boards: row " + std::to_string(i) + ": " + error);
  }
  return boards;
}

std::vector<Dice> dice_from_buffer(const py::buffer& buffer, std::size_t expected) {
  const py::buffer_info info = byte_table(buffer, "dice", "uint8", "B", 2);
  if (info.shape[0] != length(expected)) {
    throw std::invalid_argument("dice: expected as many rows as boards, " + std::to_string(expected) + ", got " +
                                std::to_string(info.shape[0]));
  }
  std::vector<Dice> dice(expected);
  for (std::size_t i = 0; i < expected; ++i) {
    const std::int8_t* const from = row(info, i);
    dice[i] = {static_cast<std::uint8_t>(from[0]), static_cast<std::uint8_t>(from[info.strides[1]])};
    for (const std::uint8_t die : {dice[i].die1, dice[i].die2}) {
      if (die >= 1 && die <= 6) continue;
      throw std::invalid_argument("dice: row " + std::to_string(i) + ": expected 1 to 6, got " + std::to_string(die));
    }
  }
  return dice;
}

py::memoryview to_memory(std::vector<Board>&& rows) {
  static_assert(sizeof(Board) == 26);
  const py::ssize_t count = length(rows.size());
  return rows_to_memory<std::int8_t>(std::move(rows), {count, 26});
}

py::memoryview to_memory(std::vector<Probabilities>&& rows) {
  static_assert(sizeof(Probabilities) == 5 * sizeof(float));
  const py::ssize_t count = length(rows.size());
  return rows_to_memory<float>(std::move(rows), {count, 5});
}

py::memoryview to_memory(std::vector<std::int64_t>&& rows) {
  const py::ssize_t count = length(rows.size());
  return rows_to_memory<std::int64_t>(std::move(rows), {count});
}

py::memoryview to_memory(std::vector<double>&& rows) {
  const py::ssize_t count = length(rows.size());
  return rows_to_memory<double>(std::move(rows), {count});
}

py::memoryview to_memory(std::vector<std::array<double, 4>>&& rows) {
  const py::ssize_t count = length(rows.size());
  return rows_to_memory<double>(std::move(rows), {count, 4});
}

py::memoryview to_memory(std::vector<std::array<std::uint8_t, 3>>&& rows) {
  const py::ssize_t count = length(rows.size());
  return rows_to_memory<std::uint8_t>(std::move(rows), {count, 3});
}

void bind_board_arrays(py::module_& m) {
  py::class_<Rows>(m, "_Rows", py::buffer_protocol()).def_buffer([](Rows& rows) {
    return py::buffer_info(rows.data, rows.item_size, rows.format, length(rows.shape.size()), rows.shape,
                           py::detail::c_strides(rows.shape, rows.item_size));
  });
}

}  // namespace botd::bindings
