// Checker plays and cube actions at a depth.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cube/cube_state.hpp"
#include "cube/cube_value.hpp"
#include "cube/match_equity.hpp"
#include "search/deadline.hpp"
#include "search/settings.hpp"
#include "search/static_source.hpp"
#include "search/tree.hpp"
#include "search/workspace_pool.hpp"

namespace botd {

// A legal result, seen by the side that played it.
struct RankedBoard {
  Board board;
  double equity = 0.0;           // cubeful, points per unit of the cube (normalised in a match)
  double cubeless_equity = 0.0;  // in money points, whatever the score
  Probabilities probabilities;   // consistent for display
  int ply = 0;                   // how deep this play was evaluated
};

// Equities per unit of the cube before a double, seen by the side that may double.
struct CubeEquities {
  double no_double = 0.0;
  double double_take = 0.0;  // with a beaver counted where the taker should beaver
  double double_pass = 0.0;
  double optimal = 0.0;
  bool available = false;  // the side may double
  bool doubles = false;
  bool takes = true;
  bool beavers = false;
  Probabilities probabilities;   // before the roll, consistent for display
  double cubeless_equity = 0.0;  // in money points, whatever the score
};

// The decision that two native values make, without probabilities: no double, and double and take (see decide_cube);
// `value` belongs to the state before the double.
[[nodiscard]] CubeEquities cube_equities(const CubeValue& value, std::span<const double, 2> native, int pass_cost);

struct PositionValue {
  Probabilities probabilities;   // before the roll, consistent for display
  double cubeless_equity = 0.0;  // in money points
  double equity_at_score = 0.0;  // cubeless at the score: match chances normalised at the cube's value
};

// Immutable; any number of threads may decide at once. A running call holds a workspace for each of its threads (a
// few hundred kilobytes, plus NodeMemo from 3 plies on); see WorkspacePool.
class Decider {
 public:
  Decider(std::shared_ptr<const StaticSource> source, const MatchEquityTable& table);
  Decider(const Decider&) = delete;
  Decider& operator=(const Decider&) = delete;

  // In all calls `board` is seen by the side on roll, the game is not over, and `state` belongs to that side.
  // Throws std::invalid_argument for impossible input, DeadlineExceeded when the time is over.

  // Every legal result, best first; the unchanged board alone if no checker can move. Plays that a filter kept
  // longer, and which were therefore evaluated deeper, stand above the others whatever their equities; if it
  // leaves a single play, that one is not searched any deeper.
  [[nodiscard]] std::vector<RankedBoard> rank_plays(const Board& board, const CubeState& state, int die1,
                                                    int die2, const SearchSettings& settings,
                                                    const Deadline& deadline) const;

  [[nodiscard]] CubeEquities cube_action(const Board& board, const CubeState& state,
                                         const SearchSettings& settings, const Deadline& deadline) const;

  // Without the cube.
  [[nodiscard]] PositionValue evaluate(const Board& board, const CubeState& state,
                                       const SearchSettings& settings, const Deadline& deadline) const;

  // Equity after winning (points > 0) or losing the game at a number of points per unit of the cube.
  [[nodiscard]] double result_equity(const CubeState& state, int points) const;

  // Worst level (1, 2, 3) that the side on roll has already lost for certain, 0 while anything is open that
  // matters at the score. See resignation.hpp.
  [[nodiscard]] int certain_loss(const Board& board, const CubeState& state) const;

  [[nodiscard]] const MatchEquityTable& table() const { return table_; }

 private:
  // Evaluates plays of one roll from `board` at a depth and sorts them, best first.
  void rank(const Board& board, const CubeState& state, const SearchSettings& settings, int ply,
            const Deadline& deadline, std::span<RankedBoard> plays) const;
  void rank_statically(const Board& board, const CubeState& state, const Noise& noise,
                       std::span<RankedBoard> plays) const;
  void rank_by_search(const Board& board, const CubeState& state, int ply, int threads,
                      const Deadline& deadline, std::span<RankedBoard> plays) const;
  // Unclamped static value before the roll, seen by the side on roll.
  [[nodiscard]] Probabilities static_pre_roll(const Board& board, const Noise& noise) const;
  [[nodiscard]] Probabilities cubeless(const Board& board, const SearchSettings& settings,
                                       const Deadline& deadline) const;

  std::shared_ptr<const StaticSource> source_;
  MatchEquityTable table_;
  mutable WorkspacePool pool_;
};

}  // namespace botd
