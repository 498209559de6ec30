#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cmath>
#include <cstdint>
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
#include "gnubg/cube_value.hpp"
#include "gnubg/evaluator_source.hpp"
#include "gnubg/plays.hpp"
#include "gnubg/search.hpp"
#include "search/arguments.hpp"

namespace botd::bindings {
namespace {

namespace py = pybind11;
using gnubg::CubeValue;
using gnubg::Evaluator;
using gnubg::Profile;
using gnubg::Search;

Probabilities to_probabilities(const std::array<float, 5>& p) { return {p[0], p[1], p[2], p[3], p[4]}; }

py::tuple to_tuple(const Probabilities& p) {
  return py::make_tuple(p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon);
}

Profile to_profile(const std::string& name) {
  if (name == "A") return Profile::kA;
  if (name == "B") return Profile::kB;
  throw std::invalid_argument("profile: expected A or B, got '" + name + "'");
}

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

std::unique_ptr<Search> make_search(const std::shared_ptr<Evaluator>& evaluator,
                                    const MatchEquityTable& table, const std::string& profile_name,
                                    const MoveFilter& filter, bool prune, bool cubeful, double noise,
                                    std::optional<std::uint64_t> noise_seed, std::optional<bool> signed_noise,
                                    int threads) {
  const Profile profile = to_profile(profile_name);
  if (!(noise >= 0.0 && noise <= 1.0)) {
    throw std::invalid_argument("noise: expected 0 to 1, got " + std::to_string(noise));
  }
  check_threads(threads);
  const auto quiet = std::make_shared<gnubg::EvaluatorSource>(evaluator);
  auto source = quiet;
  if (noise > 0.0) {
    // gnubg 1.07's usual build read the digest's bytes as signed numbers.
    const bool as_signed = signed_noise.value_or(profile == Profile::kA);
    source =
        std::make_shared<gnubg::EvaluatorSource>(evaluator, gnubg::noise_of(noise, noise_seed, as_signed));
  }
  return std::make_unique<Search>(source, quiet, profile, table,
                                  gnubg::SearchSettings{filter, prune, cubeful, threads});
}

PlayRanking ranking(const Search& search, const Board& board, std::pair<int, int> dice, int ply,
                    const std::vector<gnubg::RankedPlay>& plays) {
  std::vector<RankedBoard> ranked;
  ranked.reserve(plays.size());
  for (const gnubg::RankedPlay& play : plays) {
    ranked.push_back({.board = play.board,
                      .equity = play.equity,
                      .cubeless_equity = cubeless_equity(play.probabilities),
                      .probabilities = play.probabilities,
                      .ply = play.ply});
  }
  return {board, dice, std::move(ranked), ply, search.in_database(board)};
}

void bind_results(py::module_& m) {
  py::class_<gnubg::RankedPlay>(m, "GnubgRankedPlay")
      .def_property_readonly("board",
                             [](const gnubg::RankedPlay& play) { return board_to_python(play.board); })
      .def_readonly("equity", &gnubg::RankedPlay::equity)
      .def_property_readonly(
          "cubeless_equity",
          [](const gnubg::RankedPlay& play) { return cubeless_equity(play.probabilities); })
      .def_property_readonly("probabilities",
                             [](const gnubg::RankedPlay& play) { return to_tuple(play.probabilities); })
      .def_readonly("ply", &gnubg::RankedPlay::ply);

  py::class_<gnubg::CubeEquities>(m, "GnubgCubeEquities")
      .def_readonly("no_double", &gnubg::CubeEquities::no_double)
      .def_readonly("double_take", &gnubg::CubeEquities::double_take)
      .def_readonly("double_pass", &gnubg::CubeEquities::double_pass)
      .def_readonly("optimal", &gnubg::CubeEquities::optimal)
      .def_readonly("available", &gnubg::CubeEquities::available)
      .def_readonly("cubeless_equity", &gnubg::CubeEquities::cubeless_equity)
      .def_property_readonly("probabilities",
                             [](const gnubg::CubeEquities& cube) { return to_tuple(cube.probabilities); });

  py::class_<gnubg::PositionValue>(m, "GnubgPositionValue")
      .def_readonly("cubeless_equity", &gnubg::PositionValue::cubeless_equity)
      .def_readonly("equity_at_score", &gnubg::PositionValue::equity_at_score)
      .def_readonly("cubeful_equity", &gnubg::PositionValue::cubeful_equity)
      .def_property_readonly("probabilities",
                             [](const gnubg::PositionValue& value) { return to_tuple(value.probabilities); });

  py::class_<gnubg::RollLuck>(m, "GnubgRollLuck")
      .def_readonly("equity", &gnubg::RollLuck::equity)
      .def_readonly("average", &gnubg::RollLuck::average)
      .def_readonly("luck", &gnubg::RollLuck::luck)
      .def_readonly("gain", &gnubg::RollLuck::gain);
}

void bind_cube_value(py::module_& m) {
  py::class_<CubeValue>(m, "GnubgCubeValue")
      .def(py::init<const CubeState&, const MatchEquityTable&>(), py::arg("state"), py::arg("table"))
      .def_property_readonly("gammon_prices",
                             [](const CubeValue& self) {
                               const auto& p = self.prices();
                               return py::make_tuple(p.own_gammon, p.own_backgammon, p.opponent_gammon,
                                                     p.opponent_backgammon);
                             })
      .def_property_readonly("double_pass", [](const CubeValue& self) { return self.double_pass(); })
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

}  // namespace

void bind_gnubg_search(py::module_& m) {
  m.def("gnubg_legal_boards", &legal_boards_in_gnubg_order, py::arg("board"), py::arg("die1"),
        py::arg("die2"));
  bind_cube_value(m);
  bind_results(m);

  py::class_<Search>(m, "GnubgSearch")
      .def(py::init(&make_search), py::arg("evaluator"), py::arg("table"), py::kw_only(), py::arg("profile"),
           py::arg("filter"), py::arg("prune") = true, py::arg("cubeful") = true, py::arg("noise") = 0.0,
           py::arg("noise_seed") = py::none(), py::arg("signed_noise") = py::none(), py::arg("threads") = 1)
      .def(
          "rank_plays",
          [](const Search& self, const py::sequence& board, const CubeState& state, int die1, int die2,
             int ply, std::optional<double> deadline_s) {
            const Board position = board_from_python(board);
            const Deadline deadline = deadline_from_seconds(deadline_s);
            return answer_at(ply, [&] { return self.rank_plays(position, state, die1, die2, ply, deadline); });
          },
          py::arg("board"), py::arg("state"), py::arg("die1"), py::arg("die2"), py::arg("ply"),
          py::arg("deadline_s") = py::none())
      .def(
          "choose_play",
          [](const Search& self, const py::object& board, const py::object& context, const py::object& dice,
             int ply, std::optional<double> deadline_s) {
            const Board position = board_from_iterable(board);
            const CubeState state = cube_state_from_python(context);
            const auto roll = dice_from_python(dice);
            const Deadline deadline = deadline_from_seconds(deadline_s);
            return ranking(self, position, roll, ply, answer_at(ply, [&] {
                             return self.rank_plays(position, state, roll.first, roll.second, ply, deadline);
                           }));
          },
          py::arg("board"), py::arg("context"), py::arg("dice"), py::arg("ply"),
          py::arg("deadline_s") = py::none())
      .def(
          "assess_play",
          [](const Search& self, const py::object& board, const py::object& context, const py::object& dice,
             const py::object& played, int ply, std::optional<double> deadline_s) {
            const Board position = board_from_iterable(board);
            const CubeState state = cube_state_from_python(context);
            const auto roll = dice_from_python(dice);
            const Board result = board_from_iterable(played);
            const Deadline deadline = deadline_from_seconds(deadline_s);
            return ranking(self, position, roll, ply, answer_at(ply, [&] {
                             return self.assess_play(position, state, roll.first, roll.second, result, ply,
                                                     deadline);
                           }));
          },
          py::arg("board"), py::arg("context"), py::arg("dice"), py::arg("played"), py::arg("ply"),
          py::arg("deadline_s") = py::none())
      .def(
          "cube_action",
          [](const Search& self, const py::sequence& board, const CubeState& state, int ply,
             std::optional<double> deadline_s) {
            const Board position = board_from_python(board);
            const Deadline deadline = deadline_from_seconds(deadline_s);
            return answer_at(ply, [&] { return self.cube_action(position, state, ply, deadline); });
          },
          py::arg("board"), py::arg("state"), py::arg("ply"), py::arg("deadline_s") = py::none())
      .def(
          "evaluate",
          [](const Search& self, const py::sequence& board, const CubeState& state, int ply,
             std::optional<double> deadline_s) {
            const Board position = board_from_python(board);
            const Deadline deadline = deadline_from_seconds(deadline_s);
            return answer_at(ply, [&] { return self.evaluate(position, state, ply, deadline); });
          },
          py::arg("board"), py::arg("state"), py::arg("ply"), py::arg("deadline_s") = py::none())
      .def(
          "luck",
          [](const Search& self, const py::sequence& board, const CubeState& state, int die1, int die2,
             std::optional<double> deadline_s) {
            const Board position = board_from_python(board);
            const Deadline deadline = deadline_from_seconds(deadline_s);
            return self.luck(position, state, die1, die2, deadline);
          },
          py::arg("board"), py::arg("state"), py::arg("die1"), py::arg("die2"),
          py::arg("deadline_s") = py::none())
      .def(
          "certain_loss",
          [](const Search& self, const py::sequence& board, const CubeState& state) {
            return self.certain_loss(board_from_python(board), state);
          },
          py::arg("board"), py::arg("state"))
      .def(
          "utility",
          [](const Search& self, const py::sequence& board, const CubeState& state) {
            return self.utility(board_from_python(board), state);
          },
          py::arg("board"), py::arg("state"))
      .def("result_utility", &Search::result_utility, py::arg("state"), py::arg("points"));
}

}  // namespace botd::bindings
