// Static evaluation ("0-ply") compatible with GNU Backgammon, from its weight files.
//
// Boards are seen by the side on roll (the board's own side), and so are results.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bearoff/two_sided.hpp"
#include "common/cpu_path.hpp"
#include "gnubg/active_inputs.hpp"
#include "gnubg/forward.hpp"
#include "gnubg/noise.hpp"
#include "gnubg/position_class.hpp"
#include "gnubg/profile.hpp"
#include "rules/board.hpp"
#include "rules/errors.hpp"
#include "rules/probabilities.hpp"

namespace botd::gnubg {

struct DataFiles {
  std::filesystem::path weights;    // gnubg.weights (text) or gnubg.wd (binary)
  std::filesystem::path one_sided;  // gnubg_os0.bd; empty: without, see below
  std::filesystem::path two_sided;  // gnubg_ts0.bd; empty: without
};

struct EvaluatorOptions {
  std::optional<Profile> profile;  // default: the one that belongs to the version of the weights
  HiddenDivision division = HiddenDivision::kExact;
  CpuPath path = best_cpu_path();
};

// Scratch memory of one thread.
class Workspace {
 private:
  friend class Evaluator;
  ActiveInputs inputs_;
};

// Immutable once loaded; any number of threads may use one instance, each with its own Workspace.
// Boards must pass board_error().
//
// Without a database its class of positions falls to the next less exact one. Without the one-sided database races
// also keep the network's backgammons, and their length is bounded by counting crossovers only.
class Evaluator {
 public:
  // Throws DataError if a file is missing or damaged, std::invalid_argument if this machine lacks the CPU path
  // or the division.
  static std::shared_ptr<const Evaluator> load(const DataFiles& files, const EvaluatorOptions& options = {});

  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  [[nodiscard]] Profile profile() const;
  [[nodiscard]] HiddenDivision division() const;
  [[nodiscard]] CpuPath cpu_path() const;
  // "1.00" or "1.01".
  [[nodiscard]] const std::string& weights_version() const;
  // Every file that was read, the weights first.
  [[nodiscard]] const std::vector<std::filesystem::path>& files() const;

  // Every question about a board can be asked of its position_of() too; where the class is asked for, it must be
  // what classify() says.
  [[nodiscard]] PositionClass classify(const Board& on_roll) const;
  [[nodiscard]] PositionClass classify(const Position& position) const;

  // The static value: result of a finished game, database or network, and what the position makes certain
  // (sanity.hpp).
  [[nodiscard]] Probabilities evaluate(const Board& on_roll, Workspace& workspace) const;
  [[nodiscard]] Probabilities evaluate(const Position& position, PositionClass position_class,
                                       Workspace& workspace) const;
  // The same of many boards; `out` has as many entries. Throws std::invalid_argument for spans of different length.
  void evaluate(std::span<const Board> on_roll, std::span<Probabilities> out, Workspace& workspace) const;

  // With noise of standard deviation `noise` in the winning chance (noise.hpp); finished games have none.
  [[nodiscard]] Probabilities noisy(const Board& on_roll, double noise, const NoiseSource& source,
                                    Workspace& workspace) const;
  [[nodiscard]] Probabilities noisy(const Position& position, PositionClass position_class, double noise,
                                    const NoiseSource& source, Workspace& workspace) const;

  // The value by the small network that preselects plays, corrected like a static value. `position_class` is what
  // classify() says and kRace, kCrashed or kContact, else std::invalid_argument is thrown.
  [[nodiscard]] Probabilities prune_value(const Board& on_roll, PositionClass position_class,
                                          Workspace& workspace) const;
  [[nodiscard]] Probabilities prune_value(const Position& position, PositionClass position_class,
                                          Workspace& workspace) const;

  // Exact money equities. Throws std::invalid_argument if the board's class is not kTwoSided.
  [[nodiscard]] bearoff::TwoSidedEquities two_sided(const Board& on_roll) const;
  [[nodiscard]] bearoff::TwoSidedEquities two_sided(const Position& position) const;

  // What the network of a class says, without any correction, for kRace, kCrashed and kContact (which the board
  // must be without regard to databases). Throws std::invalid_argument for other classes.
  [[nodiscard]] Probabilities network_outputs(const Board& on_roll, PositionClass position_class,
                                              Workspace& workspace) const;
  // The same of the class's small network that preselects plays.
  [[nodiscard]] Probabilities pruning_outputs(const Board& on_roll, PositionClass position_class,
                                              Workspace& workspace) const;
  // All inputs of that class's network: 214 for kRace, else 250.
  [[nodiscard]] std::vector<float> inputs(const Board& on_roll, PositionClass position_class) const;

 private:
  struct Data;
  // The static value before sanity. Not for kOver.
  [[nodiscard]] Probabilities uncorrected(const Position& position, PositionClass position_class,
                                          Workspace& workspace) const;
  explicit Evaluator(std::unique_ptr<const Data> data);
  std::unique_ptr<const Data> data_;
};

}  // namespace botd::gnubg
