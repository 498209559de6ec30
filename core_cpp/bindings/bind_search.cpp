#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/board_conversion.hpp"
#include "bindings/play_ranking.hpp"
#include "bindings/question_conversion.hpp"
#include "bindings/sage_search.hpp"
#include "search/decisions.hpp"
#include "search/sage_source.hpp"

namespace botd::bindings {
namespace {

namespace py = pybind11;

py::tuple to_tuple(const Probabilities& p) {
  return py::make_tuple(p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon);
}

CubeOwner to_owner(const std::string& name) {
  if (name == "centered") return CubeOwner::kCentered;
  if (name == "player") return CubeOwner::kOwn;
  if (name == "opponent") return CubeOwner::kOpponent;
  throw std::invalid_argument("cube owner: expected centered, player or opponent, got '" + name + "'");
}

Scoring to_scoring(const std::string& name) {
  if (name == "standard") return Scoring::kStandard;
  if (name == "bgammon") return Scoring::kBgammon;
  throw std::invalid_argument("scoring: expected standard or bgammon, got '" + name + "'");
}

}  // namespace

void bind_search(py::module_& m) {
  py::register_exception<DeadlineExceeded>(m, "DeadlineExceeded", PyExc_TimeoutError);

  py::class_<MatchEquityTable>(m, "MatchEquityTable")
      .def(py::init([](const std::vector<std::vector<double>>& pre_crawford,
                       const std::vector<double>& post_crawford, bool derive_last,
                       const std::vector<double>& post_crawford_1) {
             std::vector<double> flat;
             for (const auto& row : pre_crawford) {
               if (row.size() != pre_crawford.size()) {
                 throw std::invalid_argument("match equity table: expected " +
                                             std::to_string(pre_crawford.size()) +
                                             " entries in every row, got " + std::to_string(row.size()));
               }
               flat.insert(flat.end(), row.begin(), row.end());
             }
             using Last = MatchEquityTable::LastPostCrawford;
             return MatchEquityTable(flat, post_crawford, derive_last ? Last::kDerive : Last::kUse,
                                     post_crawford_1);
           }),
           py::arg("pre_crawford"), py::arg("post_crawford"), py::kw_only(),
           py::arg("derive_last_post_crawford") = false, py::arg("post_crawford_1") = std::vector<double>{})
      .def_property_readonly("explicit_length", &MatchEquityTable::explicit_length)
      .def_property_readonly("symmetric", &MatchEquityTable::symmetric)
      .def("chances", &MatchEquityTable::chances, py::arg("away"), py::arg("opponent_away"),
           py::arg("post_crawford"), py::arg("seat") = 0);

  py::class_<CubeState>(m, "CubeState")
      .def(py::init([](int value, const std::string& owner, int own_away, int opponent_away, bool crawford,
                       bool jacoby, bool beavers, int max_value, const std::string& scoring, int seat) {
             if (seat != 0 && seat != 1) {
               throw std::invalid_argument("seat: expected 0 or 1, got " + std::to_string(seat));
             }
             return CubeState{.value = value,
                              .owner = to_owner(owner),
                              .own_away = own_away,
                              .opponent_away = opponent_away,
                              .crawford = crawford,
                              .jacoby = jacoby,
                              .beavers = beavers,
                              .max_value = max_value,
                              .scoring = to_scoring(scoring),
                              .seat = static_cast<std::uint8_t>(seat)};
           }),
           py::arg("value"), py::arg("owner"), py::arg("own_away") = 0, py::arg("opponent_away") = 0,
           py::kw_only(), py::arg("crawford") = false, py::arg("jacoby") = false, py::arg("beavers") = false,
           py::arg("max_value") = 0, py::arg("scoring") = "standard", py::arg("seat") = 0)
      .def("other_side", [](const CubeState& state) { return other_side(state); })
      .def_property_readonly("may_double", [](const CubeState& state) { return may_double(state); });

  py::class_<SearchSettings>(m, "SageSettings")
      .def(py::init([](const MoveFilter& filter, double noise, std::uint64_t noise_seed, int threads) {
             SearchSettings settings(0);
             settings.filter = filter;
             settings.noise = {noise, noise_seed};
             settings.threads = threads;
             return settings;
           }),
           py::kw_only(), py::arg("filter") = MoveFilter(), py::arg("noise") = 0.0,
           py::arg("noise_seed") = 0, py::arg("threads") = 1);

  py::class_<RankedBoard>(m, "RankedBoard")
      .def_property_readonly("board", [](const RankedBoard& play) { return board_to_python(play.board); })
      .def_readonly("equity", &RankedBoard::equity)
      .def_readonly("cubeless_equity", &RankedBoard::cubeless_equity)
      .def_readonly("ply", &RankedBoard::ply)
      .def_property_readonly("probabilities",
                             [](const RankedBoard& play) { return to_tuple(play.probabilities); });

  py::class_<CubeEquities>(m, "CubeEquities")
      .def_readonly("no_double", &CubeEquities::no_double)
      .def_readonly("double_take", &CubeEquities::double_take)
      .def_readonly("double_pass", &CubeEquities::double_pass)
      .def_readonly("optimal", &CubeEquities::optimal)
      .def_readonly("available", &CubeEquities::available)
      .def_readonly("doubles", &CubeEquities::doubles)
      .def_readonly("takes", &CubeEquities::takes)
      .def_readonly("beavers", &CubeEquities::beavers)
      .def_readonly("cubeless_equity", &CubeEquities::cubeless_equity)
      .def_property_readonly("probabilities",
                             [](const CubeEquities& cube) { return to_tuple(cube.probabilities); });

  py::class_<PositionValue>(m, "PositionValue")
      .def_readonly("cubeless_equity", &PositionValue::cubeless_equity)
      .def_readonly("equity_at_score", &PositionValue::equity_at_score)
      .def_property_readonly("probabilities",
                             [](const PositionValue& value) { return to_tuple(value.probabilities); });

  py::class_<SageSearch>(m, "SageSearch")
      .def(py::init<const std::filesystem::path&, const std::filesystem::path&,
                    const std::optional<std::string>&, const MatchEquityTable&>(),
           py::arg("models"), py::arg("bearoff"), py::arg("cpu_path"), py::arg("table"),
           py::call_guard<py::gil_scoped_release>())
      .def_property_readonly(
          "cpu_path",
          [](const SageSearch& self) { return std::string(name(self.evaluator->cpu_path())); })
      .def_property_readonly("files", [](const SageSearch& self) { return self.evaluator->files(); })
      .def(
          "rank_plays",
          [](const SageSearch& self, const py::sequence& board, const CubeState& state, int die1, int die2,
             int ply, std::optional<double> deadline_s, SearchSettings settings) {
            const Board position = board_from_python(board);
            settings.ply = ply;
            const Deadline deadline = deadline_from_seconds(deadline_s);
            return answer_at(
                ply, [&] { return self.decider->rank_plays(position, state, die1, die2, settings, deadline); });
          },
          py::arg("board"), py::arg("state"), py::arg("die1"), py::arg("die2"), py::arg("ply"),
          py::arg("deadline_s") = py::none(),
          py::arg("settings") = SearchSettings(0))
      .def(
          "choose_play",
          [](const SageSearch& self, const py::object& board, const py::object& context, const py::object& dice,
             int ply, std::optional<double> deadline_s, SearchSettings settings) {
            const Board position = board_from_iterable(board);
            const CubeState state = cube_state_from_python(context);
            const auto roll = dice_from_python(dice);
            settings.ply = ply;
            const Deadline deadline = deadline_from_seconds(deadline_s);
            std::vector<RankedBoard> ranked = answer_at(ply, [&] {
              return self.decider->rank_plays(position, state, roll.first, roll.second, settings, deadline);
            });
            const int reached = ranked.front().ply;
            return PlayRanking(position, roll, std::move(ranked), reached, is_bearoff(position));
          },
          py::arg("board"), py::arg("context"), py::arg("dice"), py::arg("ply"),
          py::arg("deadline_s") = py::none(), py::arg("settings") = SearchSettings(0))
      .def(
          "cube_action",
          [](const SageSearch& self, const py::sequence& board, const CubeState& state, int ply,
             std::optional<double> deadline_s, SearchSettings settings) {
            const Board position = board_from_python(board);
            settings.ply = ply;
            const Deadline deadline = deadline_from_seconds(deadline_s);
            return answer_at(ply, [&] { return self.decider->cube_action(position, state, settings, deadline); });
          },
          py::arg("board"), py::arg("state"), py::arg("ply"), py::arg("deadline_s") = py::none(),
          py::arg("settings") = SearchSettings(0))
      .def(
          "evaluate",
          [](const SageSearch& self, const py::sequence& board, const CubeState& state, int ply,
             std::optional<double> deadline_s, SearchSettings settings) {
            const Board position = board_from_python(board);
            settings.ply = ply;
            const Deadline deadline = deadline_from_seconds(deadline_s);
            return answer_at(ply, [&] { return self.decider->evaluate(position, state, settings, deadline); });
          },
          py::arg("board"), py::arg("state"), py::arg("ply"), py::arg("deadline_s") = py::none(),
          py::arg("settings") = SearchSettings(0))
      .def(
          "result_equity",
          [](const SageSearch& self, const CubeState& state, int points) {
            return self.decider->result_equity(state, points);
          },
          py::arg("state"), py::arg("points"))
      .def(
          "certain_loss",
          [](const SageSearch& self, const py::sequence& board, const CubeState& state) {
            return self.decider->certain_loss(board_from_python(board), state);
          },
          py::arg("board"), py::arg("state"));
}

}  // namespace botd::bindings
