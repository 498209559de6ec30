// Decisions of the fast search: iterative deepening until the depth asked for or the end of the time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cube/cube_state.hpp"
#include "cube/cube_value.hpp"
#include "fast/root_search.hpp"
#include "fast/settings.hpp"
#include "fast/value_source.hpp"
#include "fast/workspace_pool.hpp"
#include "search/deadline.hpp"
#include "search/decisions.hpp"

namespace botd::fast {

// Answers say by `ply` how deep they are: what was asked for, or less if the time was over.
struct Plays {
  std::vector<RankedBoard> plays;
  int ply = 0;  // of the best one
};
struct CubeAction {
  CubeEquities equities;
  int ply = 0;
};
struct Evaluation {
  PositionValue value;
  int ply = 0;
};

struct BestPlay {
  Board board;  // unchanged if no checker can move
  double equity = 0.0;
  int ply = 0;
};

// Immutable; any number of threads may decide at once, each with workspaces of its own (WorkspacePool). Answers
// depend on the arguments and settings alone, as long as the deadline does not end them.
class Decider {
 public:
  Decider(std::shared_ptr<const ValueSource> source, const Settings& settings);
  Decider(const Decider&) = delete;
  Decider& operator=(const Decider&) = delete;

  // In all calls `board` is seen by the side on roll, the game is not over, and `state` belongs to that side. When
  // the deadline is over or its token asks to stop, the deepest complete answer is returned; a 0-ply answer is always
  // complete. Throws std::invalid_argument for impossible input.

  // Every legal result, best first; the unchanged board alone if no checker can move. Plays that the filter kept
  // longer, and which were therefore searched deeper, stand above the others whatever their equities; if it leaves a
  // single play, that one is not searched any deeper.
  [[nodiscard]] Plays rank_plays(const Board& board, const CubeState& state, int die1, int die2, int ply,
                                 const Deadline& deadline) const;

  // Probabilities are those of the search with the cube. Beavers are counted if the source searches them.
  [[nodiscard]] CubeAction cube_action(const Board& board, const CubeState& state, int ply,
                                       const Deadline& deadline) const;

  // Without the cube.
  [[nodiscard]] Evaluation evaluate(const Board& board, const CubeState& state, int ply,
                                    const Deadline& deadline) const;

  // The same for many boards at one score and cube, without a time limit: no ranking is kept, and at 0-ply boards go
  // through the evaluator together, which may change the last bits of a cube decision's equities. `dice` has as many
  // entries as `boards`.
  [[nodiscard]] std::vector<BestPlay> best_plays(std::span<const Board> boards, const CubeState& state,
                                                 std::span<const std::pair<int, int>> dice, int ply) const;
  [[nodiscard]] std::vector<CubeEquities> cube_actions(std::span<const Board> boards, const CubeState& state,
                                                       int ply) const;

  [[nodiscard]] const Settings& settings() const { return settings_; }

 private:
  struct PlaySearch;

  // Native values of `states` before the roll, nobody doubling first at the root unless `root_expands`.
  [[nodiscard]] RootValue value_of(const Board& board, const CubeState& actual, std::span<const CubeState> states,
                                   bool root_expands, int ply, const ReplyPruning& pruning,
                                   const Deadline& deadline) const;
  [[nodiscard]] CubeEquities cube_equities(const Board& board, const CubeState& state, int ply,
                                           const ReplyPruning& pruning, const Deadline& deadline) const;

  // What native values before and after a double mean for the decision.
  [[nodiscard]] CubeEquities equities_of(const Board& board, const CubeValue& value, std::span<const double, 2> native,
                                         const Probabilities& p) const;
  // The state as the source searches it.
  [[nodiscard]] CubeState searched(CubeState state) const;

  std::shared_ptr<const ValueSource> source_;
  Settings settings_;
  mutable WorkspacePool pool_;
};

}  // namespace botd::fast
