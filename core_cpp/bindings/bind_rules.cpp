#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/board_arrays.hpp"
#include "bindings/board_conversion.hpp"
#include "rules/board.hpp"
#include "rules/moves.hpp"
#include "rules/perft.hpp"
#include "rules/position_id.hpp"

namespace botd::bindings {
namespace {

namespace py = pybind11;

void check_die(int die) {
  if (die < 1 || die > 6) throw std::invalid_argument("dice: expected 1 to 6, got " + std::to_string(die));
}

py::list legal_plays_to_python(const py::sequence& points, int die1, int die2) {
  const Board board = board_from_python(points);
  check_die(die1);
  check_die(die2);
  PlayList plays;
  legal_plays(board, die1, die2, plays);
  py::list out(plays.size());
  for (std::size_t i = 0; i < plays.size(); ++i) {
    py::tuple steps(plays[i].step_count);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      steps[k] =
          py::make_tuple(static_cast<int>(plays[i].steps[k].from), static_cast<int>(plays[i].steps[k].to));
    }
    out[i] = py::make_tuple(std::move(steps), board_to_python(plays[i].board));
  }
  return out;
}

py::tuple legal_boards_batch(const py::buffer& board_buffer, const py::buffer& dice_buffer) {
  const std::vector<Board> boards = boards_from_buffer(board_buffer);
  const std::vector<Dice> dice = dice_from_buffer(dice_buffer, boards.size());
  std::vector<Board> results;
  std::vector<std::int64_t> offsets{0};
  {
    const py::gil_scoped_release release;
    offsets.reserve(boards.size() + 1);
    BoardList list;
    for (std::size_t i = 0; i < boards.size(); ++i) {
      legal_boards(boards[i], dice[i].die1, dice[i].die2, list);
      results.insert(results.end(), list.begin(), list.end());
      offsets.push_back(static_cast<std::int64_t>(results.size()));
    }
  }
  return py::make_tuple(to_memory(std::move(results)), to_memory(std::move(offsets)));
}

py::tuple perft_to_python(const py::sequence& points, int depth) {
  const Board board = board_from_python(points);
  if (depth < 0)
    throw std::invalid_argument("perft: expected a depth of 0 or more, got " + std::to_string(depth));
  PerftCount count;
  {
    const py::gil_scoped_release release;
    count = perft(board, depth);
  }
  return py::make_tuple(count.leaves, count.distinct);
}

}  // namespace

void bind_rules(py::module_& m) {
  m.def("legal_plays", &legal_plays_to_python, py::arg("board"), py::arg("die1"), py::arg("die2"));
  m.def("legal_boards_batch", &legal_boards_batch, py::arg("boards"), py::arg("dice"));
  m.def("perft", &perft_to_python, py::arg("board"), py::arg("depth"));
  m.def(
      "position_id", [](const py::sequence& points) { return position_id(board_from_python(points)); },
      py::arg("board"));
  m.def(
      "board_from_position_id",
      [](const std::string& text) { return board_to_python(board_from_position_id(text)); }, py::arg("text"));
  m.def("check_board", [](const py::sequence& points) { board_from_python(points); }, py::arg("board"));
  m.def(
      "mirrored",
      [](const py::sequence& points) { return board_to_python(mirrored(board_from_python(points))); },
      py::arg("board"));
  m.def(
      "pips",
      [](const py::sequence& points) {
        const Board board = board_from_python(points);
        return py::make_tuple(own_pips(board), opponent_pips(board));
      },
      py::arg("board"));
  m.def(
      "borne_off",
      [](const py::sequence& points) {
        const Board board = board_from_python(points);
        return py::make_tuple(own_borne_off(board), opponent_borne_off(board));
      },
      py::arg("board"));
  m.def(
      "is_race", [](const py::sequence& points) { return is_race(board_from_python(points)); },
      py::arg("board"));
  m.def(
      "is_bearoff", [](const py::sequence& points) { return is_bearoff(board_from_python(points)); },
      py::arg("board"));
  m.def(
      "game_result", [](const py::sequence& points) { return game_result(board_from_python(points)); },
      py::arg("board"));
}

}  // namespace botd::bindings
