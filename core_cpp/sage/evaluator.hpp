// Static evaluation ("0-ply") with the Sage networks and their one-sided bear-off database.
//
// Boards given to the evaluator are post-move boards unless a name says otherwise: the own (positive) side
// has just moved and the opponent is about to roll; results are seen by the own side.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "common/cpu_path.hpp"
#include "rules/board.hpp"
#include "rules/errors.hpp"
#include "rules/probabilities.hpp"

namespace botd::sage {

struct InputChange;

inline constexpr int kNetworks = 24;
inline constexpr int kRaceNetwork = 0;
inline constexpr int kSnakeNetwork = 22;

// Scratch memory of one thread. Movable, cheap to keep, never shared between threads at the same time.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

 private:
  friend class Evaluator;
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

// Immutable once loaded; any number of threads may use one instance, each with its own Workspace.
class Evaluator {
 public:
  // models_dir holds the *.weights.best files. An empty bearoff_db means no database.
  // Throws DataError if a file is missing or damaged, std::invalid_argument if this machine lacks `path`.
  static std::shared_ptr<const Evaluator> load(const std::filesystem::path& models_dir,
                                               const std::filesystem::path& bearoff_db,
                                               CpuPath path = best_cpu_path());

  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Index 0..23 of the network for a board.
  [[nodiscard]] int route(const Board& board) const;

  // Raw outputs of one network: no clamp, no terminal vectors, no bear-off database. `out` has as many
  // entries as `post_move`. Fast when the boards are siblings (candidates of one position): the first layer
  // is then updated from a base instead of computed afresh. The base is `*base` if given (best: the unmoved
  // board of the node, kept the same for all its rolls; its first layer is remembered in the workspace),
  // else the first board. The choice of base changes results by float rounding only (below 1e-6).
  // Boards must pass board_error(). Throws std::out_of_range for a bad network index,
  // std::invalid_argument for spans of different length.
  void evaluate(std::span<const Board> post_move, int network, std::span<Probabilities> out,
                Workspace& workspace, const Board* base = nullptr) const;

  // Values of boards that have nothing to do with each other: each by the network it belongs to itself, finished
  // games and covered boards exactly. What a board gets does not depend on the others, but many at once are faster,
  // because those of one network are evaluated together. Otherwise as evaluate().
  void static_values(std::span<const Board> post_move, std::span<Probabilities> out, Workspace& workspace) const;

  // Both bars are empty and both sides have all their checkers home or off; false without a database.
  [[nodiscard]] bool covered(const Board& board) const;

  // Exact outcome of a covered board with the opponent to roll. Undefined if not covered().
  [[nodiscard]] Probabilities bearoff_post_move(const Board& board) const;

  // The same with the own side to roll.
  [[nodiscard]] Probabilities bearoff_pre_roll(const Board& board) const;

  [[nodiscard]] CpuPath cpu_path() const;

  // Every file that was read, in network order without repetition, the database last.
  [[nodiscard]] const std::vector<std::filesystem::path>& files() const;

 private:
  struct Data;
  explicit Evaluator(std::shared_ptr<const Data> data);
  void evaluate_from(std::span<const Board> post_move, std::size_t network, std::span<Probabilities> out,
                     Workspace::Buffers& buffers, bool from_base) const;
  // Makes the first layer of the base; `changes` is scratch memory for one board.
  void prepare_base(std::size_t network, Workspace::Buffers& buffers, InputChange* changes) const;
  std::shared_ptr<const Data> data_;  // workspaces hold it too
};

// `p` with outcomes that are impossible on `board` (same view) set to exactly zero.
[[nodiscard]] Probabilities clamped(const Probabilities& p, const Board& board);

// `p` made consistent for display: win_gammon <= win and so on, by lowering.
[[nodiscard]] Probabilities nested(const Probabilities& p);

// Tesauro's linear evaluator of a post-move board, with its race or contact weights. Only for ordering.
[[nodiscard]] double pubeval(const Board& post_move, bool race_weights);

}  // namespace botd::sage
