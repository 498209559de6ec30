#include <pybind11/operators.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
using rollout::Sample;
using rollout::Sums;
using rollout::TrialValues;

// A sum as Python's (high, low) words.
using Words = std::pair<std::int64_t, std::uint64_t>;

Words words(const rollout::ExactSum& sum) { return {sum.high(), sum.low()}; }

// Two words for the sum and two for the squares of each.
std::vector<Words> chance_sums(const Sums& sums) {
  std::vector<Words> all;
  for (const Sample& sample : sums.chances()) {
    all.push_back(words(sample.sum));
    all.push_back(words(sample.squares));
  }
  return all;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges(const Sums& sums) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  for (const auto& [first, values] : sums.trials().ranges()) all.emplace_back(first, values.size());
  return all;
}

// In little-endian order, whatever the machine's.
std::string packed(const TrialValues& trials) {
  std::string bytes;
  for (const auto& [first, values] : trials.ranges()) {
    for (const TrialValues::Pair& pair : values) {
      for (const std::int64_t value : pair) {
        for (int shift = 0; shift < 64; shift += 8) {
          bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xFF));
        }
      }
    }
  }
  return bytes;
}

TrialValues unpacked(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges, std::string_view bytes) {
  constexpr std::size_t kTrial = sizeof(TrialValues::Pair);
  TrialValues trials;
  for (const auto& [first, count] : ranges) {
    if (first > Rollout::kMaxTrials || count > bytes.size() / kTrial) {
      throw std::invalid_argument("values: expected 16 bytes for every game");
    }
    std::vector<TrialValues::Pair> values(static_cast<std::size_t>(count));
    for (TrialValues::Pair& pair : values) {
      for (std::int64_t& value : pair) {
        std::uint64_t word = 0;
        for (int shift = 0; shift < 64; shift += 8) {
          word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes.front())) << shift;
          bytes.remove_prefix(1);
        }
        value = static_cast<std::int64_t>(word);
      }
    }
    trials.add(first, values);
  }
  if (!bytes.empty()) throw std::invalid_argument("values: expected 16 bytes for every game");
  return trials;
}

Sums restored(std::string evaluator, const py::sequence& board, const CubeState& state, const Settings& settings,
              const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges, const py::bytes& values,
              std::uint64_t passed, const std::vector<Words>& chances) {
  std::array<Sample, Sums::kChances> samples;
  if (chances.size() != 2 * samples.size()) throw std::invalid_argument("chances: expected 12 sums");
  const auto sum = [&](std::size_t i) { return rollout::ExactSum(chances[i].first, chances[i].second); };
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = {sum(2 * i), sum(2 * i + 1)};
  auto origin = std::make_shared<const rollout::Origin>(
      rollout::Origin{std::move(evaluator), board_from_python(board), state, settings});
  return Sums(std::move(origin), unpacked(ranges, values), passed, samples);
}

}  // namespace

void bind_rollout(py::module_& m) {
  py::class_<Settings>(m, "RolloutSettings")
      .def(py::init([](int truncate, int play_ply, int late_ply, std::optional<int> late_from,
                       std::optional<int> cubeless_from, int cube_ply, int truncation_ply, std::uint32_t seed,
                       std::uint64_t batch, bool first_roll_luck) {
             const Settings settings{.truncate = truncate,
                                     .play_ply = play_ply,
                                     .late_ply = late_ply,
                                     .late_from = late_from.value_or(Settings::kNever),
                                     .cubeless_from = cubeless_from.value_or(Settings::kNever),
                                     .cube_ply = cube_ply,
                                     .truncation_ply = truncation_ply,
                                     .seed = seed,
                                     .batch = batch,
                                     .first_roll_luck = first_roll_luck};
             check_settings(settings);
             return settings;
           }),
           py::kw_only(), py::arg("truncate"), py::arg("play_ply"), py::arg("late_ply"), py::arg("late_from"),
           py::arg("cubeless_from"), py::arg("cube_ply"), py::arg("truncation_ply"), py::arg("seed"),
           py::arg("batch"), py::arg("first_roll_luck"));

  py::class_<Sums>(m, "RolloutSums")
      .def(py::init<>())
      .def_static("restored", &restored, py::kw_only(), py::arg("evaluator"), py::arg("board"), py::arg("state"),
                  py::arg("settings"), py::arg("ranges"), py::arg("values"), py::arg("passed"), py::arg("chances"))
      .def_property_readonly("trials", [](const Sums& self) { return self.count(); })
      .def_property_readonly("passed", [](const Sums& self) { return self.passed(); })
      .def_property_readonly("ranges", &ranges)
      .def_property_readonly("values", [](const Sums& self) { return py::bytes(packed(self.trials())); })
      .def_property_readonly("chances", &chance_sums)
      .def("add", [](Sums& self, const Sums& other) { self.add(other); }, py::arg("other"))
      .def(py::self == py::self);

  m.def("rollout_difference_error", &rollout::difference_error, py::arg("one"), py::arg("weights"), py::arg("other"),
        py::arg("other_weights"));

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
      })
      .def_readonly("weights", &Result::weights);

  py::class_<Rollout>(m, "Rollout")
      .def(py::init([](const SageSearch& search, const py::sequence& board, const CubeState& state,
                       const Settings& settings, std::string evaluator, int threads,
                       std::optional<double> deadline_s) {
             const Board position = board_from_python(board);
             const Deadline deadline = deadline_from_seconds(deadline_s);
             const py::gil_scoped_release release;
             return std::make_unique<Rollout>(
                 Rollout::Evaluators{search.source, search.networks, std::move(evaluator)}, search.decider->table(),
                 position, state, settings, threads, deadline);
           }),
           py::arg("search"), py::arg("board"), py::arg("state"), py::arg("settings"), py::kw_only(),
           py::arg("evaluator"), py::arg("threads") = 1, py::arg("deadline_s") = py::none())
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
