#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/board_arrays.hpp"
#include "bindings/board_conversion.hpp"
#include "common/escapes.hpp"
#include "gnubg/clearing.hpp"
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
std::shared_ptr<Evaluator> load(const std::filesystem::path& weights,
                                const std::optional<std::filesystem::path>& one_sided,
                                const std::optional<std::filesystem::path>& two_sided,
                                const std::optional<std::string>& profile, const std::string& division,
                                const std::optional<std::string>& cpu_path) {
  gnubg::EvaluatorOptions options;
  if (profile) options.profile = profile_from_name(*profile);
  options.division = division_from_name(division);
  if (cpu_path) options.path = cpu_path_from_name(*cpu_path);
  const py::gil_scoped_release release;
  return std::const_pointer_cast<Evaluator>(Evaluator::load({weights, one_sided.value_or(""), two_sided.value_or("")}, options));
}

py::list evaluate(const Evaluator& evaluator, const py::sequence& values) {
  std::vector<Board> boards;
  boards.reserve(values.size());
  for (const py::handle value : values) boards.push_back(board_from_python(value.cast<py::sequence>()));
  std::vector<Probabilities> results(boards.size());
  {
    const py::gil_scoped_release release;
    gnubg::Workspace workspace;
    evaluator.evaluate(boards, results, workspace);
  }
  py::list out;
  for (const Probabilities& p : results) out.append(probabilities_tuple(p));
  return out;
}

py::memoryview evaluate_batch(const Evaluator& evaluator, const py::buffer& board_buffer) {
  const std::vector<Board> boards = boards_from_buffer(board_buffer);
  std::vector<Probabilities> values(boards.size());
  {
    const py::gil_scoped_release release;
    gnubg::Workspace workspace;
    evaluator.evaluate(boards, values, workspace);
  }
  return to_memory(std::move(values));
}

py::tuple noisy(const Evaluator& evaluator, const py::sequence& value, double noise,
                const std::optional<std::uint64_t>& seed, bool signed_bytes) {
  using Kind = gnubg::NoiseSource::Kind;
  if (!(noise >= 0.0 && noise <= 1.0)) throw std::invalid_argument("noise: expected a number from 0 to 1");
  const gnubg::NoiseSource source{seed           ? Kind::kSeeded
                                  : signed_bytes ? Kind::kSignedDigest
                                                 : Kind::kDigest,
                                  seed.value_or(0)};
  gnubg::Workspace workspace;
  return probabilities_tuple(evaluator.noisy(board_from_python(value), noise, source, workspace));
}

py::tuple prune_value(const Evaluator& evaluator, const py::sequence& value) {
  const Board board = board_from_python(value);
  gnubg::Workspace workspace;
  return probabilities_tuple(evaluator.prune_value(board, evaluator.classify(board), workspace));
}

py::tuple two_sided(const Evaluator& evaluator, const py::sequence& value) {
  const bearoff::TwoSidedEquities e = evaluator.two_sided(board_from_python(value));
  return py::make_tuple(e.cubeless, e.owned, e.centered, e.opponent);
}

std::vector<std::uint64_t> clearing_rolls(const std::array<int, gnubg::kClearingDistances>& checkers) {
  static const gnubg::ClearingTable table;
  int sum = 0;
  for (const int n : checkers) {
    if (n < 0 || n > gnubg::kMostToClear) sum = gnubg::kMostToClear + 1;
    sum += n;
  }
  if (sum < 1 || sum > gnubg::kMostToClear) throw std::invalid_argument("checkers: expected one to six in all");
  const gnubg::ClearingRolls& rolls = table.rolls(checkers);
  return {rolls.begin(), rolls.end()};
}

py::tuple escapes(int mask) {
  if (mask < 0 || mask >= static_cast<int>(kEscapeMasks)) throw std::invalid_argument("mask: expected twelve bits");
  return py::make_tuple(kEscapes[static_cast<std::size_t>(mask)], kEscapesPastBlock[static_cast<std::size_t>(mask)]);
}

// The board and the class whose network reads it.
std::pair<Board, PositionClass> network_board(const py::sequence& value) {
  const Board board = board_from_python(value);
  return {board, gnubg::class_without_databases(gnubg::position_of(board))};
}

}  // namespace

void bind_gnubg(py::module_& m) {
  py::class_<Evaluator, std::shared_ptr<Evaluator>>(m, "GnubgEvaluator")
      .def_static("load", &load, py::arg("weights"), py::arg("one_sided") = py::none(),
                  py::arg("two_sided") = py::none(), py::kw_only(), py::arg("profile") = py::none(),
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
      .def("evaluate", &evaluate, py::arg("boards"))
      .def("evaluate_batch", &evaluate_batch, py::arg("boards"))
      .def("noisy", &noisy, py::arg("board"), py::arg("noise"), py::kw_only(), py::arg("seed") = py::none(),
           py::arg("signed_bytes") = false)
      .def("prune_value", &prune_value, py::arg("board"))
      .def("two_sided", &two_sided, py::arg("board"))
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

  m.def("gnubg_clearing_rolls", &clearing_rolls, py::arg("checkers"));
  m.def("escape_rolls", &escapes, py::arg("mask"));
}

}  // namespace botd::bindings
