// Decisions with a network that values positions by itself: search-free at 0-ply, or one roll deep.
//
// Money play, or for networks that know winning only, one game for the match. Equities are points per unit of the
// present cube, seen by the side that decides. A cubeless network plays as if there were no cube.
#pragma once

#include <memory>
#include <vector>

#include "cube/cube_state.hpp"
#include "puretd/evaluator.hpp"
#include "rules/board.hpp"
#include "rules/moves.hpp"
#include "rules/probabilities.hpp"
#include "search/deadline.hpp"

namespace botd::puretd {

inline constexpr int kMaxPly = 1;

struct RankedPlay {
  Board board;  // still in the mover's frame
  double equity = 0.0;
  Probabilities probabilities;  // of a network that has them
  int ply = 0;
};

struct CubeEquities {
  double no_double = 0.0;
  double double_take = 0.0;  // per unit of the cube before the double
  bool available = false;    // the side to play may double
  bool doubles = false;
  bool takes = true;  // the other side would
  double optimal = 0.0;
};

// By the three equities, of which a pass is worth 1: whether to double, and what that makes the position worth.
[[nodiscard]] CubeEquities decided(double no_double, double double_take, const CubeState& state);

// What a result of 1, 2 or 3 points (negative: lost) is worth to either side per unit of the cube. `wins_only`: in the
// last game of a match.
[[nodiscard]] double result_equity(int points, const CubeState& state, bool wins_only);

// The level at which the side on roll should resign because counting shows that it has lost that much: 0 to 3.
[[nodiscard]] int certain_loss(const Board& board, const CubeState& state, bool wins_only);

class Search {
 public:
  // What a node works with; nodes are few, so every one has its own.
  struct Node {
    BoardList boards;
    std::vector<Board> turned;
    std::vector<float> equities;
    std::vector<double> values;
  };

  Search(const Evaluator& evaluator, const Deadline& deadline) : evaluator_(evaluator), deadline_(deadline) {}

  // All distinct results of a roll, best first (equal ones in the order of generation); the board itself if nothing
  // can move. Throws DeadlineExceeded.
  [[nodiscard]] std::vector<RankedPlay> rank_plays(const Board& board, const CubeState& state, int die1, int die2,
                                                   int ply);

  // A double before the roll. `available` tells whether the rules allow one; equities are given all the same.
  [[nodiscard]] CubeEquities cube_action(const Board& board, const CubeState& state, int ply);

  // The worth of the roll to come, without a double by the side to play.
  [[nodiscard]] double before_roll(const Board& board, const CubeState& state, int ply);

  // Of a network that has them: its own, or those of the replies best by equity, averaged over the rolls.
  [[nodiscard]] Probabilities probabilities(const Board& board, int ply);

 private:
  // Worth to the side that has moved of boards in its own frame, with the cube as it sees it.
  void after_move(std::span<const Board> post_move, const CubeState& state, Node& node);
  // Deepens a play by the opponent's roll; returns what decides between equal ones.
  double deepen(RankedPlay& play, const CubeState& state);
  [[nodiscard]] double roll_average(const Board& to_play, const CubeState& state);
  [[nodiscard]] double static_value(const Board& to_play, const CubeState& state);
  [[nodiscard]] double finished(int result, const CubeState& state) const;
  [[nodiscard]] Probabilities average_probabilities(const Board& to_play);

  const Evaluator& evaluator_;
  const Deadline& deadline_;
  Evaluator::Workspace workspace_;
  Node root_;
  Node reply_;
};

}  // namespace botd::puretd
