#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/board_arrays.hpp"
#include "bindings/board_conversion.hpp"
#include "bindings/play_ranking.hpp"
#include "bindings/question_conversion.hpp"
#include "bindings/sage_search.hpp"
#include "fast/decider.hpp"
#include "fast/gnubg_values.hpp"
#include "fast/prune_net.hpp"
#include "fast/puretd_values.hpp"
#include "fast/sage_values.hpp"
#include "gnubg/evaluator_source.hpp"

namespace botd::bindings {
namespace {

namespace py = pybind11;

// Stops searches from another thread.
struct CancelToken {
  std::stop_source source;
};

struct FastSearch {
  fast::Decider decider;
  std::function<bool(const Board&)> in_database;
  bool has_probabilities;

  FastSearch(std::shared_ptr<const fast::ValueSource> source, const fast::Settings& settings,
             std::function<bool(const Board&)> database)
      : decider(source, settings),
        in_database(std::move(database)),
        has_probabilities(source->has_probabilities()) {}
};

void check_noise(double noise) {
  if (!(noise >= 0.0 && noise <= 1.0)) {
    throw std::invalid_argument("noise: expected 0 to 1, got " + std::to_string(noise));
  }
}

std::unique_ptr<FastSearch> over_sage(const SageSearch& sage, const std::shared_ptr<fast::PruneNet>& rough,
                                      const fast::Settings& settings, double noise,
                                      std::uint64_t noise_seed) {
  check_noise(noise);
  auto source =
      std::make_shared<fast::SageValues>(sage.source, sage.decider->table(), rough, Noise{noise, noise_seed});
  return std::make_unique<FastSearch>(std::move(source), settings, is_bearoff);
}

std::unique_ptr<FastSearch> over_gnubg(const std::shared_ptr<gnubg::Evaluator>& evaluator,
                                       const MatchEquityTable& table, const std::shared_ptr<fast::PruneNet>& rough,
                                       const fast::Settings& settings, double noise,
                                       std::optional<std::uint64_t> noise_seed) {
  check_noise(noise);
  const gnubg::Profile profile = evaluator->profile();
  // gnubg 1.07's usual build read the digest's bytes as signed numbers.
  auto statics = std::make_shared<gnubg::EvaluatorSource>(
      evaluator, gnubg::noise_of(noise, noise_seed, profile == gnubg::Profile::kA));
  auto source = std::make_shared<fast::GnubgValues>(std::move(statics), profile, table, rough);
  return std::make_unique<FastSearch>(std::move(source), settings, [evaluator](const Board& board) {
    const gnubg::PositionClass kind = evaluator->classify(board);
    return kind == gnubg::PositionClass::kTwoSided || kind == gnubg::PositionClass::kOneSided;
  });
}

std::unique_ptr<FastSearch> over_puretd(const std::shared_ptr<puretd::Evaluator>& evaluator,
                                        const MatchEquityTable& table, const std::shared_ptr<fast::PruneNet>& rough,
                                        const fast::Settings& settings) {
  return std::make_unique<FastSearch>(std::make_shared<fast::PuretdValues>(evaluator, table, rough), settings,
                                      [](const Board&) { return false; });
}

Deadline to_deadline(std::optional<double> seconds, const CancelToken* cancel) {
  const Deadline limit = deadline_from_seconds(seconds);
  return cancel == nullptr ? limit : Deadline(limit, cancel->source.get_token());
}

py::tuple best_plays(const FastSearch& self, const py::buffer& board_buffer, const py::object& context,
                     const py::buffer& dice_buffer, int ply) {
  const std::vector<Board> boards = boards_from_buffer(board_buffer);
  const CubeState state = cube_state_from_python(context);
  std::vector<std::pair<int, int>> rolls;
  for (const Dice& dice : dice_from_buffer(dice_buffer, boards.size())) rolls.emplace_back(dice.die1, dice.die2);
  std::vector<Board> results;
  std::vector<double> equities;
  {
    const py::gil_scoped_release release;
    for (const fast::BestPlay& best : self.decider.best_plays(boards, state, rolls, ply)) {
      results.push_back(best.board);
      equities.push_back(best.equity);
    }
  }
  return py::make_tuple(to_memory(std::move(results)), to_memory(std::move(equities)));
}

py::tuple cube_actions(const FastSearch& self, const py::buffer& board_buffer, const py::object& context, int ply) {
  const std::vector<Board> boards = boards_from_buffer(board_buffer);
  const CubeState state = cube_state_from_python(context);
  std::vector<std::array<double, 4>> equities;
  std::vector<std::array<std::uint8_t, 3>> actions;
  {
    const py::gil_scoped_release release;
    for (const CubeEquities& cube : self.decider.cube_actions(boards, state, ply)) {
      equities.push_back({cube.no_double, cube.double_take, cube.double_pass, cube.optimal});
      actions.push_back({cube.available && cube.doubles, cube.takes, cube.beavers});
    }
  }
  return py::make_tuple(to_memory(std::move(equities)), to_memory(std::move(actions)));
}

void bind_settings(py::module_& m) {
  py::class_<CancelToken>(m, "CancelToken")
      .def(py::init<>())
      .def("cancel", [](CancelToken& self) { self.source.request_stop(); })
      .def_property_readonly("cancelled",
                             [](const CancelToken& self) { return self.source.stop_requested(); });

  using fast::ReplyPruning;
  using fast::Settings;
  py::class_<Settings>(m, "FastSettings")
      .def(py::init([](const std::vector<std::pair<int, double>>& narrowing,
                       const std::optional<MoveFilter>& filter, bool prune, int least, int most, double margin,
                       double recheck, std::size_t cache_bytes, int threads) {
             Settings settings;
             if (narrowing.size() != settings.narrowing.size()) {
               throw std::invalid_argument("narrowing: expected " + std::to_string(settings.narrowing.size()) +
                                           " steps, got " + std::to_string(narrowing.size()));
             }
             for (std::size_t i = 0; i < narrowing.size(); ++i) {
               settings.narrowing[i] = {narrowing[i].first, narrowing[i].second};
             }
             settings.filter = filter;
             settings.pruning = prune ? ReplyPruning{least, most, margin} : ReplyPruning::none();
             settings.recheck = recheck;
             settings.cache_bytes = cache_bytes;
             settings.threads = threads;
             check_settings(settings);
             return settings;
           }),
           py::kw_only(), py::arg("narrowing"), py::arg("filter"), py::arg("prune"), py::arg("least"),
           py::arg("most"), py::arg("margin"), py::arg("recheck"), py::arg("cache_bytes"), py::arg("threads"));
}

}  // namespace

void bind_fast(py::module_& m) {
  bind_settings(m);
  py::class_<FastSearch>(m, "FastSearch")
      .def_static("over_sage", &over_sage, py::arg("search"), py::arg("rough"), py::arg("settings"), py::kw_only(),
                  py::arg("noise") = 0.0, py::arg("noise_seed") = 0)
      .def_static("over_gnubg", &over_gnubg, py::arg("evaluator"), py::arg("table"), py::arg("rough"),
                  py::arg("settings"), py::kw_only(), py::arg("noise") = 0.0, py::arg("noise_seed") = py::none())
      .def_static("over_puretd", &over_puretd, py::arg("evaluator"), py::arg("table"), py::arg("rough"),
                  py::arg("settings"))
      .def_readonly("has_probabilities", &FastSearch::has_probabilities)
      .def(
          "choose_play",
          [](const FastSearch& self, const py::object& board, const py::object& context,
             const py::object& dice, int ply, std::optional<double> deadline_s, const CancelToken* cancel) {
            const Board position = board_from_iterable(board);
            const CubeState state = cube_state_from_python(context);
            const auto roll = dice_from_python(dice);
            const Deadline deadline = to_deadline(deadline_s, cancel);
            fast::Plays plays = answer_at(ply, [&] {
              return self.decider.rank_plays(position, state, roll.first, roll.second, ply, deadline);
            });
            return PlayRanking(position, roll, std::move(plays.plays), plays.ply, self.in_database(position),
                               self.has_probabilities);
          },
          py::arg("board"), py::arg("context"), py::arg("dice"), py::arg("ply"),
          py::arg("deadline_s") = py::none(), py::arg("cancel") = py::none())
      .def(
          "cube_action",
          [](const FastSearch& self, const py::object& board, const py::object& context, int ply,
             std::optional<double> deadline_s, const CancelToken* cancel) {
            const Board position = board_from_iterable(board);
            const CubeState state = cube_state_from_python(context);
            const Deadline deadline = to_deadline(deadline_s, cancel);
            const fast::CubeAction answer =
                answer_at(ply, [&] { return self.decider.cube_action(position, state, ply, deadline); });
            return std::make_pair(answer.equities, answer.ply);
          },
          py::arg("board"), py::arg("context"), py::arg("ply"), py::arg("deadline_s") = py::none(),
          py::arg("cancel") = py::none())
      .def("best_plays", &best_plays, py::arg("boards"), py::arg("context"), py::arg("dice"), py::arg("ply"))
      .def("cube_actions", &cube_actions, py::arg("boards"), py::arg("context"), py::arg("ply"))
      .def(
          "evaluate",
          [](const FastSearch& self, const py::object& board, const py::object& context, int ply,
             std::optional<double> deadline_s, const CancelToken* cancel) {
            const Board position = board_from_iterable(board);
            const CubeState state = cube_state_from_python(context);
            const Deadline deadline = to_deadline(deadline_s, cancel);
            const fast::Evaluation answer =
                answer_at(ply, [&] { return self.decider.evaluate(position, state, ply, deadline); });
            return std::make_pair(answer.value, answer.ply);
          },
          py::arg("board"), py::arg("context"), py::arg("ply"), py::arg("deadline_s") = py::none(),
          py::arg("cancel") = py::none());
}

}  // namespace botd::bindings
