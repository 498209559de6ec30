#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/board_conversion.hpp"
#include "gnubg/evaluator.hpp"

namespace py = pybind11;

namespace botd::bindings {
namespace {

using gnubg::Evaluator;
using gnubg::HiddenDivision;
using gnubg::PositionClass;
using gnubg::Profile;

py::tuple probabilities_tuple(const Probabilities& p) {
  return py::make_tuple(p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon);
}

Profile profile_from_name(const std::string& text) {
  if (text == "A") return Profile::kA;
  if (text == "B") return Profile::kB;
  throw std::invalid_argument("unknown profile '" + text + "', expected A or B");
}

HiddenDivision division_from_name(const std::string& text) {
  if (text == "exact") return HiddenDivision::kExact;
  if (text == "reciprocal") return HiddenDivision::kReciprocal;
  throw std::invalid_argument("unknown division '" + text + "', expected exact or reciprocal");
}

// Evaluator::load hands out const; every method that is bound is const.
std::shared_ptr<Evaluator> load(const std::filesystem::path& weights, const std::optional<std::string>& profile,
                                const std::string& division, const std::optional<std::string>& cpu_path) {
  gnubg::EvaluatorOptions options;
  if (profile) options.profile = profile_from_name(*profile);
  options.division = division_from_name(division);
  if (cpu_path) options.path = cpu_path_from_name(*cpu_path);
  const py::gil_scoped_release release;
  return std::const_pointer_cast<Evaluator>(Evaluator::load({weights}, options));
}

// The board and the class whose network reads it.
std::pair<Board, PositionClass> network_board(const py::sequence& value) {
  const Board board = board_from_python(value);
  return {board, gnubg::class_without_databases(gnubg::position_of(board))};
}

}  // namespace

void bind_gnubg(py::module_& m) {
  py::class_<Evaluator, std::shared_ptr<Evaluator>>(m, "GnubgEvaluator")
      .def_static("load", &load, py::arg("weights"), py::kw_only(), py::arg("profile") = py::none(),
                  py::arg("division") = "exact", py::arg("cpu_path") = py::none())
      .def_property_readonly("profile", [](const Evaluator& e) { return e.profile() == Profile::kA ? "A" : "B"; })
      .def_property_readonly(
          "division", [](const Evaluator& e) { return e.division() == HiddenDivision::kExact ? "exact" : "reciprocal"; })
      .def_property_readonly("cpu_path", [](const Evaluator& e) { return name(e.cpu_path()); })
      .def_property_readonly("weights_version", &Evaluator::weights_version)
      .def_property_readonly("files", &Evaluator::files)
      .def(
          "classify",
          [](const Evaluator& e, const py::sequence& board) { return gnubg::name(e.classify(board_from_python(board))); },
          py::arg("board"))
      .def(
          "inputs",
          [](const Evaluator& e, const py::sequence& value) {
            const auto [board, position_class] = network_board(value);
            return e.inputs(board, position_class);
          },
          py::arg("board"))
      .def(
          "network_outputs",
          [](const Evaluator& e, const py::sequence& value) {
            const auto [board, position_class] = network_board(value);
            gnubg::Workspace workspace;
            return probabilities_tuple(e.network_outputs(board, position_class, workspace));
          },
          py::arg("board"))
      .def(
          "pruning_outputs",
          [](const Evaluator& e, const py::sequence& value) {
            const auto [board, position_class] = network_board(value);
            gnubg::Workspace workspace;
            return probabilities_tuple(e.pruning_outputs(board, position_class, workspace));
          },
          py::arg("board"));
}

}  // namespace botd::bindings
