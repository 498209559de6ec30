#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/board_conversion.hpp"
#include "bindings/play_ranking.hpp"
#include "bindings/question_conversion.hpp"
#include "rules/notation.hpp"

namespace botd::bindings {
namespace {

namespace py = pybind11;

std::size_t checked(const PlayRanking& ranking, std::size_t i) {
  if (i >= ranking.size()) throw py::index_error("play: expected a place below " + std::to_string(ranking.size()));
  return i;
}

py::tuple steps_to_python(std::span<const Step> steps) {
  py::tuple out(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    out[i] = py::make_tuple(static_cast<int>(steps[i].from), static_cast<int>(steps[i].to));
  return out;
}

py::tuple play_to_python(PlayRanking& ranking, std::size_t i) {
  const Play play = ranking.play(checked(ranking, i));
  const std::span<const Step> steps(play.steps.data(), play.step_count);
  return py::make_tuple(steps_to_python(steps), board_to_python(play.board), notation(ranking.board(), steps));
}

py::object probabilities_to_python(const PlayRanking& ranking, std::size_t i) {
  const Probabilities& p = ranking[checked(ranking, i)].probabilities;
  if (!ranking.has_probabilities()) return py::none();
  return py::make_tuple(p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon);
}

py::tuple value_to_python(const PlayRanking& ranking, std::size_t i) {
  const RankedBoard& entry = ranking[checked(ranking, i)];
  if (!ranking.has_probabilities()) return py::make_tuple(entry.equity, py::none(), entry.ply);
  return py::make_tuple(entry.equity, entry.cubeless_equity, entry.ply);
}

std::string notation_of(const py::sequence& points, const py::sequence& given) {
  const Board board = board_from_python(points);
  std::array<Step, kMaxSteps> steps{};
  if (given.size() > steps.size())
    throw std::invalid_argument("steps: expected at most " + std::to_string(steps.size()) + ", got " +
                                std::to_string(given.size()));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto [from, to] = py::cast<std::pair<int, int>>(given[i]);
    if (from < 1 || from > kOwnBar || to < 0 || to > kPoints)
      throw std::invalid_argument("steps: expected points from 25 (bar) to 0 (off), got " + std::to_string(from) +
                                  "/" + std::to_string(to));
    steps[i] = {static_cast<std::int8_t>(from), static_cast<std::int8_t>(to)};
  }
  return notation(board, std::span(steps).first(given.size()));
}

}  // namespace

void bind_plays(py::module_& m) {
  m.def("notation", &notation_of, py::arg("board"), py::arg("steps"));
  m.def("cube_state", &cube_state_from_python, py::arg("context"));

  py::class_<PlayRanking>(m, "PlayRanking")
      .def("__len__", &PlayRanking::size)
      .def_property_readonly("legal_count", &PlayRanking::legal_count)
      .def_property_readonly("ply", &PlayRanking::ply)
      .def_property_readonly("source", &PlayRanking::source)
      .def("value", &value_to_python, py::arg("place"))
      .def("probabilities", &probabilities_to_python, py::arg("place"))
      .def("play", &play_to_python, py::arg("place"))
      .def("packed", [](const PlayRanking& ranking) { return py::bytes(ranking.packed()); })
      .def_static(
          "unpacked", [](const py::bytes& bytes) { return PlayRanking::unpacked(std::string_view(bytes)); },
          py::arg("bytes"));
}

}  // namespace botd::bindings
