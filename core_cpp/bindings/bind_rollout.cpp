#include <pybind11/operators.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/board_conversion.hpp"
#include "bindings/question_conversion.hpp"
#include "bindings/sage_search.hpp"
#include "rollout/candidates.hpp"
#include "rollout/rollout.hpp"

namespace botd::bindings {
namespace {

namespace py = pybind11;
using rollout::Result;
using rollout::Rollout;
using rollout::Settings;
using rollout::Sums;


}  // namespace

void bind_rollout(py::module_& m) {
  py::class_<Settings>(m, "RolloutSettings")
      .def(py::init([](int truncate, int play_ply, int late_ply, std::optional<int> late_from,
                       std::optional<int> cubeless_from, int cube_ply, int truncation_ply, std::uint32_t seed,
                       bool first_roll_luck) {
             const Settings settings{.truncate = truncate,
                                     .play_ply = play_ply,
                                     .late_ply = late_ply,
                                     .late_from = late_from.value_or(Settings::kNever),
                                     .cubeless_from = cubeless_from.value_or(Settings::kNever),
                                     .cube_ply = cube_ply,
                                     .truncation_ply = truncation_ply,
                                     .seed = seed,
                                     .first_roll_luck = first_roll_luck};
             check_settings(settings);
             return settings;
           }),
           py::kw_only(), py::arg("truncate"), py::arg("play_ply"), py::arg("late_ply"), py::arg("late_from"),
           py::arg("cubeless_from"), py::arg("cube_ply"), py::arg("truncation_ply"), py::arg("seed"),
           py::arg("first_roll_luck"));

  py::class_<Sums>(m, "RolloutSums")
      .def(py::init<>())
      .def_readonly("trials", &Sums::trials)
      .def_readonly("passed", &Sums::passed)
      .def("add", [](Sums& self, const Sums& other) { self.add(other); }, py::arg("other"))
      .def(py::self == py::self);

  m.def(
      "rollout_roll",
      [](std::uint32_t seed, std::uint64_t trial, int half_move) {
        const rollout::TrialRoll roll = rollout::Dice(seed).roll(trial, half_move);
        return py::make_tuple(roll.die1, roll.die2);
      },
      py::arg("seed"), py::arg("trial"), py::arg("half_move"));

  py::class_<Result>(m, "RolloutResult")
      .def_readonly("trials", &Result::trials)
      .def_readonly("cube", &Result::cube)
      .def_readonly("no_double_error", &Result::no_double_error)
      .def_readonly("double_take_error", &Result::double_take_error)
      .def_readonly("cubeless_equity_error", &Result::cubeless_equity_error)
      .def_property_readonly("probability_errors", [](const Result& result) {
        return py::tuple(py::cast(result.probability_errors));
      });

  py::class_<Rollout>(m, "Rollout")
      .def(py::init([](const SageSearch& search, const py::sequence& board, const CubeState& state,
                       const Settings& settings, int threads, std::optional<double> deadline_s) {
             const Board position = board_from_python(board);
             const Deadline deadline = deadline_from_seconds(deadline_s);
             const py::gil_scoped_release release;
             return std::make_unique<Rollout>(Rollout::Evaluators{search.source, search.networks},
                                              search.decider->table(), position, state, settings, threads, deadline);
           }),
           py::arg("search"), py::arg("board"), py::arg("state"), py::arg("settings"), py::kw_only(),
           py::arg("threads") = 1, py::arg("deadline_s") = py::none())
      .def(
          "run",
          [](const Rollout& self, std::uint64_t first_trial, std::uint64_t count, int threads,
             std::optional<double> deadline_s) {
            const Deadline deadline = deadline_from_seconds(deadline_s);
            const py::gil_scoped_release release;
            return self.run(first_trial, count, threads, deadline);
          },
          py::arg("first_trial"), py::arg("count"), py::kw_only(), py::arg("threads") = 1,
          py::arg("deadline_s") = py::none())
      .def("result", &Rollout::result, py::arg("sums"));

  m.def(
      "rollout_candidates",
      [](const SageSearch& search, const py::sequence& board, const CubeState& state, int die1, int die2,
         bool searched, int threads, std::optional<double> deadline_s) {
        const Board position = board_from_python(board);
        const Deadline deadline = deadline_from_seconds(deadline_s);
        const py::gil_scoped_release release;
        const Decider& decider = *search.decider;
        const auto ranked = decider.rank_plays(position, state, die1, die2, SearchSettings(0), deadline);
        const auto selection = searched ? rollout::Selection::kSearched : rollout::Selection::kStatic;
        return rollout::candidates(ranked, *search.source, decider.table(), state, selection, threads, deadline);
      },
      py::arg("search"), py::arg("board"), py::arg("state"), py::arg("die1"), py::arg("die2"), py::kw_only(),
      py::arg("searched"), py::arg("threads") = 1, py::arg("deadline_s") = py::none());
}

}  // namespace botd::bindings
