// Checker plays, cube actions and what goes with them, as gnubg decides them.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cube/cube_state.hpp"
#include "cube/match_equity.hpp"
#include "gnubg/cube_plan.hpp"
#include "gnubg/node_search.hpp"
#include "gnubg/profile.hpp"
#include "gnubg/root_search.hpp"
#include "gnubg/static_source.hpp"
#include "gnubg/workspace_pool.hpp"
#include "rules/board.hpp"
#include "rules/probabilities.hpp"
#include "search/deadline.hpp"
#include "search/move_filter.hpp"

namespace botd::gnubg {

struct SearchSettings {
  MoveFilter filter;
  bool prune = true;  // never in effect with noise
  bool cubeful = true;
  int threads = 1;
};

// A legal result, seen by the side that played it.
struct RankedPlay {
  Board board;
  double equity = 0.0;    // cubeful, points per unit of the cube (normalised in a match)
  double cubeless = 0.0;  // at the score: decides between plays of equal equity
  Probabilities probabilities;
  int ply = 0;  // how deep the play was really evaluated
};

// Equities per unit of the cube before a double, seen by the side that may double.
struct CubeEquities {
  double no_double = 0.0;
  double double_take = 0.0;  // before any beaver
  double double_pass = 1.0;
  double optimal = 0.0;
  bool available = false;        // the side may double
  Probabilities probabilities;   // before the roll, averaged in the cubeful search
  double cubeless_equity = 0.0;  // in money points, whatever the score
};

struct PositionValue {
  Probabilities probabilities;   // before the roll
  double cubeless_equity = 0.0;  // in money points
  double equity_at_score = 0.0;  // cubeless at the score: match chances normalised at the cube's value
  double cubeful_equity = 0.0;
};

// Equities per unit of the cube, 0-ply, seen by the side that rolled.
struct RollLuck {
  double equity = 0.0;   // after the best play of the roll
  double average = 0.0;  // over all rolls
  double luck = 0.0;     // the difference
  // In a match the luck in match winning chances, in money play in points (at the cube's value).
  double gain = 0.0;
};

// Immutable; any number of threads may decide at once. Numbers depend on the arguments and settings alone.
//
// In all calls `board` is seen by the side on roll, the game is not over, and `state` belongs to that side.
// They throw std::invalid_argument for impossible input and DeadlineExceeded when the time is over.
class Search {
 public:
  // `quiet` is the same source without noise (the same object if there is none).
  Search(std::shared_ptr<const StaticSource> source, std::shared_ptr<const StaticSource> quiet,
         Profile profile, const MatchEquityTable& table, const SearchSettings& settings);

  // Every legal result, in gnubg's order: deeper evaluated plays first, the best of them first. The unchanged
  // board alone if no checker can move. A lone play keeps its 0-ply value unless the filter skips that stage.
  [[nodiscard]] std::vector<RankedPlay> rank_plays(const Board& board, const CubeState& state, int die1,
                                                   int die2, int ply, const Deadline& deadline) const;

  // The same with one result, `played`, brought to the depth of the best one, and if they differ by more than
  // 0.03 there, both to the depth asked for. Throws std::invalid_argument if `played` is no legal result.
  [[nodiscard]] std::vector<RankedPlay> assess_play(const Board& board, const CubeState& state, int die1,
                                                    int die2, const Board& played, int ply,
                                                    const Deadline& deadline) const;

  [[nodiscard]] CubeEquities cube_action(const Board& board, const CubeState& state, int ply,
                                         const Deadline& deadline) const;

  [[nodiscard]] PositionValue evaluate(const Board& board, const CubeState& state, int ply,
                                       const Deadline& deadline) const;

  [[nodiscard]] RollLuck luck(const Board& board, const CubeState& state, int die1, int die2,
                              const Deadline& deadline) const;

  // What gnubg resigns before its roll: 1, 2 or 3 if its 0-ply equity is that of losing just so much, the
  // largest first; 0 in contact and as long as anything is open. Where gammons do not count 1 says it all.
  // With bgammon's scoring what the position would cost, if nothing can be won and playing on is not cheaper.
  [[nodiscard]] int certain_loss(const Board& board, const CubeState& state) const;

  // Cubeless 0-ply equity at the score, gammons counted as the rules say.
  [[nodiscard]] double utility(const Board& board, const CubeState& state) const;

  // The same after winning (points > 0) or losing the game at a number of points per unit of the cube.
  [[nodiscard]] double result_utility(const CubeState& state, int points) const;

  // A bear-off database has the position.
  [[nodiscard]] bool in_database(const Board& board) const;

  [[nodiscard]] const SearchSettings& settings() const { return settings_; }

 private:
  struct PlaySearch;

  [[nodiscard]] SearchRules rules(int ply, Scoring scoring) const;
  // 0-ply without noise.
  [[nodiscard]] Probabilities static_value(const Board& board, const CubeState& state) const;
  [[nodiscard]] Root evaluate_one(const Board& board, const CubePlan& plan, int ply,
                                  const Deadline& deadline) const;
  [[nodiscard]] std::array<double, kRolls.size()> roll_equities(const Board& board, const CubeState& state,
                                                                const Deadline& deadline) const;

  Profile profile_;
  MatchEquityTable table_;
  SearchSettings settings_;
  std::unique_ptr<WorkspacePool> pool_;
  std::unique_ptr<WorkspacePool> quiet_pool_;  // without noise; null if pool_ is
};

}  // namespace botd::gnubg
