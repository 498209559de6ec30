#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/board_arrays.hpp"
#include "bindings/board_conversion.hpp"
#include "rules/moves.hpp"
#include "sage/contact_features.hpp"
#include "sage/encoding.hpp"
#include "sage/evaluator.hpp"
#include "sage/regions.hpp"
#include "sage/side_view.hpp"
#include "search/sage_source.hpp"

namespace py = pybind11;

namespace botd::bindings {
namespace {

using sage::Evaluator;

py::tuple probabilities_tuple(const Probabilities& p) {
  return py::make_tuple(p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon);
}

// Evaluator::load hands out const; every method that is bound is const.
std::shared_ptr<Evaluator> load(const std::filesystem::path& models_dir,
                                const std::optional<std::filesystem::path>& bearoff_db,
                                const std::optional<std::string>& cpu_path) {
  const CpuPath path = cpu_path ? cpu_path_from_name(*cpu_path) : best_cpu_path();
  const py::gil_scoped_release release;
  return std::const_pointer_cast<Evaluator>(
      Evaluator::load(models_dir, bearoff_db.value_or(std::filesystem::path{}), path));
}

py::list evaluate_raw(const Evaluator& evaluator, const py::sequence& boards, int network,
                      const std::optional<py::sequence>& base) {
  std::vector<Board> post_move;
  post_move.reserve(boards.size());
  for (const py::handle board : boards) post_move.push_back(board_from_python(board.cast<py::sequence>()));
  std::optional<Board> base_board;
  if (base) base_board = board_from_python(*base);
  std::vector<Probabilities> results(post_move.size());
  {
    const py::gil_scoped_release release;
    sage::Workspace workspace;
    evaluator.evaluate(post_move, network, results, workspace, base_board ? &*base_board : nullptr);
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
    sage::Workspace workspace;
    evaluator.static_values(boards, values, workspace);
  }
  return to_memory(std::move(values));
}

py::tuple evaluate_plays(const std::shared_ptr<Evaluator>& evaluator, const py::buffer& board_buffer,
                         const py::buffer& dice_buffer) {
  const std::vector<Board> boards = boards_from_buffer(board_buffer);
  const std::vector<Dice> dice = dice_from_buffer(dice_buffer, boards.size());
  std::vector<Board> results;
  std::vector<std::int64_t> offsets{0};
  std::vector<Probabilities> values;
  {
    const py::gil_scoped_release release;
    const SageSource source(evaluator);
    const std::unique_ptr<StaticSource::Scratch> scratch = source.make_scratch();
    BoardList list;
    for (std::size_t i = 0; i < boards.size(); ++i) {
      legal_boards(boards[i], dice[i].die1, dice[i].die2, list);
      const std::size_t before = results.size();
      results.insert(results.end(), list.begin(), list.end());
      values.resize(results.size());
      offsets.push_back(static_cast<std::int64_t>(results.size()));
      if (list.empty()) continue;
      // The board before the play says which network judges its results.
      source.evaluate({list.data(), list.size()}, source.route(boards[i]), boards[i], std::span(values).subspan(before),
                      *scratch);
    }
  }
  return py::make_tuple(to_memory(std::move(results)), to_memory(std::move(offsets)), to_memory(std::move(values)));
}

Board covered_board(const Evaluator& evaluator, const py::sequence& value) {
  const Board board = board_from_python(value);
  if (!evaluator.covered(board))
    throw py::value_error("board: not covered by a bear-off database, expected all checkers home or off");
  return board;
}

py::list feature_list(const sage::SideView& side) {
  const sage::ContactFeatures f = sage::contact_features(side);
  std::array<float, sage::kFeatures> inputs{};
  sage::write_feature_inputs(f, inputs.data());
  py::list out;
  for (const float value : inputs) out.append(value);
  return out;
}

}  // namespace

void bind_sage(py::module_& m) {
  py::class_<Evaluator, std::shared_ptr<Evaluator>>(m, "SageEvaluator")
      .def_static("load", &load, py::arg("models_dir"), py::arg("bearoff_db") = py::none(),
                  py::arg("cpu_path") = py::none())
      .def_property_readonly("cpu_path", [](const Evaluator& e) { return name(e.cpu_path()); })
      .def_property_readonly("files", &Evaluator::files)
      .def(
          "route", [](const Evaluator& e, const py::sequence& board) { return e.route(board_from_python(board)); },
          py::arg("board"))
      .def("evaluate_raw", &evaluate_raw, py::arg("boards"), py::arg("network"), py::arg("base") = py::none())
      .def("evaluate_batch", &evaluate_batch, py::arg("boards"))
      .def("evaluate_plays", &evaluate_plays, py::arg("boards"), py::arg("dice"))
      .def(
          "covered", [](const Evaluator& e, const py::sequence& board) { return e.covered(board_from_python(board)); },
          py::arg("board"))
      .def(
          "bearoff_post_move",
          [](const Evaluator& e, const py::sequence& board) {
            return probabilities_tuple(e.bearoff_post_move(covered_board(e, board)));
          },
          py::arg("board"))
      .def(
          "bearoff_pre_roll",
          [](const Evaluator& e, const py::sequence& board) {
            return probabilities_tuple(e.bearoff_pre_roll(covered_board(e, board)));
          },
          py::arg("board"));

  m.def(
      "sage_plans",
      [](const py::sequence& board) {
        const sage::PositionView view = sage::view_of(board_from_python(board));
        return py::make_tuple(sage::name(sage::own_plan(view)), sage::name(sage::opponent_plan(view)));
      },
      py::arg("board"));
  m.def(
      "sage_regions",
      [](const py::sequence& board) {
        const sage::PositionView view = sage::view_of(board_from_python(board));
        py::dict out;
        out["snake"] = sage::is_snake(view);
        out["containment"] = sage::is_containment(view);
        out["massive"] = sage::is_massive(view);
        out["backgame_category"] = sage::name(sage::back_game_category(view));
        out["phase"] = sage::name(sage::back_game_phase(view));
        return out;
      },
      py::arg("board"));
  m.def(
      "sage_features",
      [](const py::sequence& board) {
        const sage::PositionView view = sage::view_of(board_from_python(board));
        return py::make_tuple(feature_list(view.own), feature_list(view.opponent));
      },
      py::arg("board"));
  m.def(
      "sage_clamped",
      [](const std::array<float, 5>& p, const py::sequence& board) {
        return probabilities_tuple(
            sage::clamped({p[0], p[1], p[2], p[3], p[4]}, board_from_python(board)));
      },
      py::arg("probabilities"), py::arg("board"));
  m.def(
      "sage_nested",
      [](const std::array<float, 5>& p) {
        return probabilities_tuple(sage::nested({p[0], p[1], p[2], p[3], p[4]}));
      },
      py::arg("probabilities"));
  m.def(
      "sage_pubeval",
      [](const py::sequence& board, bool race_weights) {
        return sage::pubeval(board_from_python(board), race_weights);
      },
      py::arg("board"), py::arg("race_weights"));
}

}  // namespace botd::bindings
