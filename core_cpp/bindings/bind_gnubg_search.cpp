#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/board_conversion.hpp"
#include "gnubg/cube_value.hpp"
#include "gnubg/plays.hpp"

namespace botd::bindings {
namespace {

namespace py = pybind11;
using gnubg::CubeValue;

Probabilities to_probabilities(const std::array<float, 5>& p) { return {p[0], p[1], p[2], p[3], p[4]}; }

std::vector<py::tuple> legal_boards_in_gnubg_order(const py::sequence& board, int die1, int die2) {
  const Board position = board_from_python(board);
  if (die1 < 1 || die1 > 6 || die2 < 1 || die2 > 6) {
    throw std::invalid_argument("dice: expected two numbers from 1 to 6, got " + std::to_string(die1) +
                                " and " + std::to_string(die2));
  }
  std::vector<py::tuple> boards;
  if (game_result(position) != 0) return boards;
  gnubg::PlayTable table;
  table.start(position);
  std::vector<gnubg::PlayTable::Number> results;
  table.add_roll(die1, die2, results);
  for (const auto number : results) boards.push_back(board_to_python(mirrored(table.turned()[number])));
  return boards;
}

}  // namespace

void bind_gnubg_search(py::module_& m) {
  m.def("gnubg_legal_boards", &legal_boards_in_gnubg_order, py::arg("board"), py::arg("die1"),
        py::arg("die2"));

  py::class_<CubeValue>(m, "GnubgCubeValue")
      .def(py::init<const CubeState&, const MatchEquityTable&>(), py::arg("state"), py::arg("table"))
      .def_property_readonly("gammon_prices",
                             [](const CubeValue& self) {
                               const auto& p = self.prices();
                               return py::make_tuple(p.own_gammon, p.own_backgammon, p.opponent_gammon,
                                                     p.opponent_backgammon);
                             })
      .def_property_readonly("double_pass", &CubeValue::double_pass)
      .def(
          "utility",
          [](const CubeValue& self, const std::array<float, 5>& p) {
            return self.utility(to_probabilities(p));
          },
          py::arg("probabilities"))
      .def(
          "value",
          [](const CubeValue& self, const std::array<float, 5>& p, double efficiency) {
            return self.value(to_probabilities(p), efficiency);
          },
          py::arg("probabilities"), py::arg("efficiency"))
      .def("equity", &CubeValue::equity, py::arg("native"))
      .def("native", &CubeValue::native, py::arg("equity"));
}

}  // namespace botd::bindings
