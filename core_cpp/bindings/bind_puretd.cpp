#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/board_conversion.hpp"
#include "puretd/evaluator.hpp"
#include "puretd/search.hpp"

namespace py = pybind11;

namespace botd::bindings {
namespace {

using puretd::Evaluator;
using puretd::Search;

py::object probabilities_or_none(const Evaluator& evaluator, const Probabilities& p) {
  if (!evaluator.has_probabilities()) return py::none();
  return py::make_tuple(p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon);
}

Deadline deadline_of(const std::optional<double>& seconds) {
  if (!seconds) return {};
  if (std::isnan(*seconds)) throw std::invalid_argument("deadline: expected a number of seconds, got nan");
  return Deadline(*seconds);
}

CubeOwner owner_of(const std::string& name) {
  if (name == "centered") return CubeOwner::kCentered;
  if (name == "player") return CubeOwner::kOwn;
  if (name == "opponent") return CubeOwner::kOpponent;
  throw std::invalid_argument("cube owner: expected centered, player or opponent, got '" + name + "'");
}

nets::Arithmetic arithmetic_of(const std::string& name) {
  if (name == "float") return nets::Arithmetic::kFloat;
  if (name == "int16") return nets::Arithmetic::kInt16;
  throw std::invalid_argument("arithmetic: expected float or int16, got '" + name + "'");
}

const nets::DenseKernels& kernels_named(const std::string& name) {
  std::string names;
  for (const nets::DenseKernels* kernels : nets::available_dense_kernels()) {
    if (name == kernels->name) return *kernels;
    if (!names.empty()) names += ", ";
    names += kernels->name;
  }
  throw std::invalid_argument("kernels: expected one of " + names + ", got '" + name + "'");
}

void check_ply(int ply) {
  if (ply < 0 || ply > puretd::kMaxPly)
    throw std::invalid_argument("ply: expected 0 to " + std::to_string(puretd::kMaxPly) + ", got " + std::to_string(ply));
}

Board running_board(const py::sequence& value) {
  const Board board = board_from_python(value);
  if (game_result(board) != 0) throw std::invalid_argument("board: expected a game in progress, but one side is all off");
  return board;
}

std::shared_ptr<Evaluator> load(const std::filesystem::path& path, const std::optional<std::string>& kernels,
                                const std::string& arithmetic) {
  const nets::DenseKernels& chosen = kernels ? kernels_named(*kernels) : nets::dense_kernels(best_cpu_path());
  const nets::Arithmetic numbers = arithmetic_of(arithmetic);
  const py::gil_scoped_release release;
  return std::make_shared<Evaluator>(nets::read_network(path), path, numbers, chosen);
}

py::list outputs(const Evaluator& evaluator, const py::sequence& values, const std::string& cube, bool cube_moment) {
  std::vector<Board> boards;
  boards.reserve(values.size());
  for (const py::handle value : values) boards.push_back(board_from_python(value.cast<py::sequence>()));
  const CubeOwner owner = owner_of(cube);
  const std::size_t width = evaluator.network().outputs();
  std::vector<float> numbers(boards.size() * width);
  {
    const py::gil_scoped_release release;
    Evaluator::Workspace workspace;
    evaluator.outputs(boards, owner, cube_moment ? puretd::Moment::kCube : puretd::Moment::kDice, numbers, workspace);
  }
  py::list rows;
  for (std::size_t i = 0; i < boards.size(); ++i) {
    py::tuple row(width);
    for (std::size_t k = 0; k < width; ++k) row[k] = numbers[i * width + k];
    rows.append(row);
  }
  return rows;
}

py::list rank_plays(const Evaluator& evaluator, const py::sequence& value, const CubeState& state, int die1, int die2,
                    int ply, const std::optional<double>& deadline_s) {
  const Board board = running_board(value);
  const Deadline deadline = deadline_of(deadline_s);
  check_ply(ply);
  std::vector<puretd::RankedPlay> plays;
  {
    const py::gil_scoped_release release;
    plays = Search(evaluator, deadline).rank_plays(board, state, die1, die2, ply);
  }
  py::list ranked;
  for (const puretd::RankedPlay& play : plays)
    ranked.append(py::make_tuple(board_to_python(play.board), play.equity,
                                 probabilities_or_none(evaluator, play.probabilities), play.ply));
  return ranked;
}

// Work of a Search on a board that is not over.
template <typename Ask>
auto ask(const Evaluator& evaluator, const py::sequence& value, int ply, const std::optional<double>& deadline_s,
         const Ask& question) {
  const Board board = running_board(value);
  const Deadline deadline = deadline_of(deadline_s);
  check_ply(ply);
  const py::gil_scoped_release release;
  Search search(evaluator, deadline);
  return question(search, board);
}

}  // namespace

void bind_puretd(py::module_& m) {
  py::class_<puretd::CubeEquities>(m, "PuretdCubeEquities")
      .def_readonly("no_double", &puretd::CubeEquities::no_double)
      .def_readonly("double_take", &puretd::CubeEquities::double_take)
      .def_readonly("available", &puretd::CubeEquities::available)
      .def_readonly("doubles", &puretd::CubeEquities::doubles)
      .def_readonly("takes", &puretd::CubeEquities::takes)
      .def_readonly("optimal", &puretd::CubeEquities::optimal);

  m.attr("PURETD_MAX_PLY") = puretd::kMaxPly;
  m.def("dense_kernels", [] {
    std::vector<std::string> names;
    for (const nets::DenseKernels* kernels : nets::available_dense_kernels()) names.emplace_back(kernels->name);
    return names;
  });
  m.def(
      "puretd_inputs",
      [](const py::sequence& value) {
        std::vector<std::int16_t> steps(puretd::kBoardInputs);
        puretd::write_board_inputs(board_from_python(value), steps.data());
        py::list inputs;
        for (const std::int16_t step : steps) inputs.append(static_cast<double>(step) / nets::kInputSteps);
        return inputs;
      },
      py::arg("board"));

  m.def("puretd_decided", &puretd::decided, py::arg("no_double"), py::arg("double_take"), py::arg("state"));

  py::class_<Evaluator, std::shared_ptr<Evaluator>>(m, "PuretdEvaluator")
      .def_static("load", &load, py::arg("path"), py::kw_only(), py::arg("kernels") = py::none(),
                  py::arg("arithmetic") = "float")
      .def_property_readonly("kind", [](const Evaluator& e) { return nets::name(e.kind()); })
      .def_property_readonly("kernels", [](const Evaluator& e) { return e.network().kernels().name; })
      .def_property_readonly("path", &Evaluator::path)
      .def_property_readonly("source", &Evaluator::source)
      .def_property_readonly("licence", &Evaluator::licence)
      .def_property_readonly("memory", [](const Evaluator& e) { return e.network().memory(); })
      .def("outputs", &outputs, py::arg("boards"), py::arg("cube") = "centered", py::arg("cube_moment") = false)
      .def("rank_plays", &rank_plays, py::arg("board"), py::arg("state"), py::arg("die1"), py::arg("die2"),
           py::arg("ply"), py::arg("deadline_s") = py::none())
      .def(
          "cube_action",
          [](const Evaluator& e, const py::sequence& board, const CubeState& state, int ply,
             const std::optional<double>& deadline_s) {
            return ask(e, board, ply, deadline_s,
                       [&](Search& search, const Board& b) { return search.cube_action(b, state, ply); });
          },
          py::arg("board"), py::arg("state"), py::arg("ply"), py::arg("deadline_s") = py::none())
      .def(
          "before_roll",
          [](const Evaluator& e, const py::sequence& board, const CubeState& state, int ply,
             const std::optional<double>& deadline_s) {
            return ask(e, board, ply, deadline_s,
                       [&](Search& search, const Board& b) { return search.before_roll(b, state, ply); });
          },
          py::arg("board"), py::arg("state"), py::arg("ply"), py::arg("deadline_s") = py::none())
      .def(
          "probabilities",
          [](const Evaluator& e, const py::sequence& board, int ply,
             const std::optional<double>& deadline_s) -> py::object {
            if (!e.has_probabilities()) return py::none();
            return probabilities_or_none(e, ask(e, board, ply, deadline_s, [&](Search& search, const Board& b) {
                                           return search.probabilities(b, ply);
                                         }));
          },
          py::arg("board"), py::arg("ply"), py::arg("deadline_s") = py::none())
      .def(
          "result_equity",
          [](const Evaluator& e, const CubeState& state, int points) {
            return puretd::result_equity(points, state, e.wins_only());
          },
          py::arg("state"), py::arg("points"))
      .def(
          "certain_loss",
          [](const Evaluator& e, const py::sequence& board, const CubeState& state) {
            return puretd::certain_loss(running_board(board), state, e.wins_only());
          },
          py::arg("board"), py::arg("state"));
}

}  // namespace botd::bindings
