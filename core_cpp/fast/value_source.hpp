// What the fast search asks of an evaluator, whatever its kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cube/cube_state.hpp"
#include "cube/match_equity.hpp"
#include "rules/board.hpp"
#include "rules/probabilities.hpp"

namespace botd::fast {

// Cube states in which post-move boards are valued, all as the side that has moved sees them. A source makes its
// own kind of them, with everything that depends on the score looked up once. Immutable.
class CubeStates {
 public:
  // opponent_doubles: the opponent, who is on roll, first decides about doubling wherever a state lets it; else its
  // double is left out of account (at the root of a cube decision).
  CubeStates(std::vector<CubeState> states, bool opponent_doubles)
      : states_(std::move(states)), opponent_doubles_(opponent_doubles) {}
  virtual ~CubeStates() = default;
  CubeStates(const CubeStates&) = delete;
  CubeStates& operator=(const CubeStates&) = delete;

  [[nodiscard]] std::span<const CubeState> states() const { return states_; }
  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] bool opponent_doubles() const { return opponent_doubles_; }

 private:
  std::vector<CubeState> states_;
  bool opponent_doubles_;
};

// A money state's values are per unit of the cube: unless turns run out, its height makes no difference and the states
// of all heights are one.
[[nodiscard]] constexpr CubeState per_unit(CubeState state) {
  constexpr int kTurnsOfATree = 6;
  if (state.is_money() && state.max_value == 0 && state.value <= (kMaxCube >> kTurnsOfATree)) state.value = 1;
  return state;
}

// What a decision is about; every board of its tree descends from `root`.
struct Question {
  Board root;       // before the roll, seen by the side on roll
  CubeState state;  // of that side
  int plies = 0;    // how deep the search goes
};

// Values of post-move boards: the own side has moved and the opponent is about to roll; everything is seen by the
// side that has moved. "Native" values are points per unit of the cube in money play and match winning chances in a
// match. Immutable; threads share one instance, each with its own Scratch.
//
// A value depends on the board, the cube state, the question and the place alone, bit for bit: not on the other
// boards of a batch, nor on what was asked before. Finished games are valued as such, by the state's scoring.
class ValueSource {
 public:
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  // Where a batch stands: the results of the root's own roll, or of a node further down, `depth` plies below.
  struct Place {
    int depth = 0;
    [[nodiscard]] constexpr bool at_root() const { return depth == 0; }
  };

  virtual ~ValueSource() = default;

  // With a bound on what it remembers (bytes; 0: nothing).
  [[nodiscard]] virtual std::unique_ptr<Scratch> make_scratch(std::size_t cache_bytes) const = 0;

  // Match equities by which the source values cubes.
  [[nodiscard]] virtual const MatchEquityTable& table() const = 0;

  // Prepared for values() and ratings() of this source.
  [[nodiscard]] virtual std::unique_ptr<const CubeStates> prepared(std::vector<CubeState> states,
                                                                   bool opponent_doubles) const = 0;

  // Everything that follows in this scratch belongs to the question.
  virtual void begin(const Question& question, Scratch& scratch) const = 0;

  // Native values by which the side that has moved compares its plays, all of one roll or of several, from
  // `unmoved` (or that board itself): ratings[i] is that of post_move[i], ties[i] decides between equal ones
  // (cubeless equity, or the rating again). `state` holds the one actual cube state.
  virtual void ratings(std::span<const Board> post_move, const Board& unmoved, const CubeStates& state, Place place,
                       std::span<double> ratings, std::span<float> ties, Scratch& scratch) const = 0;

  // Native values of some boards of the latest ratings() in this scratch, whose `post_move` is given again:
  // values[k * states.size() + j] of post_move[picked[k]] in state j, and its outcome probabilities where they are
  // wanted (`probabilities` is empty or as long as `picked`) and known (has_probabilities()).
  virtual void values(std::span<const Board> post_move, std::span<const std::uint32_t> picked,
                      const CubeStates& states, std::span<double> values, std::span<Probabilities> probabilities,
                      Scratch& scratch) const = 0;

  // Native values of boards that have nothing to do with each other, each as at the root of a 0-ply question about
  // itself; equal to those of one board alone up to the order of float sums. begin() is not needed.
  virtual void static_values(std::span<const Board> post_move, const CubeStates& states, std::span<double> values,
                             std::span<Probabilities> probabilities, Scratch& scratch) const {
    constexpr std::uint32_t kOnly = 0;
    for (std::size_t i = 0; i < post_move.size(); ++i) {
      const std::span<const Board> board = post_move.subspan(i, 1);
      double rating = 0.0;
      float tie = 0.0F;
      begin({mirrored(board.front()), other_side(states.states().front()), 0}, scratch);
      ratings(board, board.front(), states, {0}, {&rating, 1}, {&tie, 1}, scratch);
      this->values(board, {&kOnly, 1}, states, values.subspan(i * states.size(), states.size()),
                   probabilities.subspan(i, 1), scratch);
    }
  }

  // Cheap order of plays: higher is better for the side that has moved, differences about points of cubeless
  // equity; finished games at least at their worth.
  virtual void rough_values(std::span<const Board> post_move, const Board& unmoved, std::span<float> out,
                            Scratch& scratch) const = 0;

  // The static probabilities are exact, though the cube's worth may become more so by a search.
  [[nodiscard]] virtual bool exact(const Board& post_move) const = 0;

  // Nothing becomes more exact by searching deeper. By the question of begin().
  [[nodiscard]] virtual bool is_leaf(const Board& post_move, Scratch& scratch) const = 0;

  // The cube state with which a position is evaluated "without the cube", for a question about `state`.
  [[nodiscard]] virtual CubeState cubeless_state(const CubeState& state) const = 0;

  // False: cubeful equities are all there is.
  [[nodiscard]] virtual bool has_probabilities() const = 0;

  // Ratings have the opponent decide about doubling first.
  [[nodiscard]] virtual bool rates_with_double() const = 0;

  // A taker's beaver is part of double/take inside the tree.
  [[nodiscard]] virtual bool searches_beavers() const = 0;

  // Probabilities of a position made fit for display.
  [[nodiscard]] virtual Probabilities shown(const Probabilities& p) const { return p; }
};

}  // namespace botd::fast
