// What the search asks of an evaluator.
#pragma once

#include <memory>
#include <span>

#include "rules/board.hpp"
#include "rules/probabilities.hpp"

namespace botd {

// Static values of post-move boards: the own side has moved and the opponent is about to roll; everything is
// seen by the side that has moved. Immutable; threads share one instance, each with its own Scratch.
class StaticSource {
 public:
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  // `network` of evaluate(): every board is valued by the network it belongs to itself.
  static constexpr int kOwnNetwork = -1;

  virtual ~StaticSource() = default;

  [[nodiscard]] virtual std::unique_ptr<Scratch> make_scratch() const = 0;

  // Index of the network a board belongs to.
  [[nodiscard]] virtual int route(const Board& board) const = 0;

  // kOwnNetwork, or the network that values every contact board of a tree with this root.
  [[nodiscard]] virtual int pinned_network(const Board& root) const = 0;

  // Whether the board's probabilities are exact without a search.
  [[nodiscard]] virtual bool exact(const Board& board) const = 0;

  // Unclamped values of boards that all come from `unmoved` by one play (or are `unmoved`). Finished games
  // and exactly known boards are valued as such, whatever the network. `network`: kOwnNetwork or an index
  // that holds for every other board.
  virtual void evaluate(std::span<const Board> boards, int network, const Board& unmoved,
                        std::span<Probabilities> out, Scratch& scratch) const = 0;

  // The same with a pinned network, which leaves races to the race network. kOwnNetwork is allowed.
  virtual void evaluate_pinned(std::span<const Board> boards, int pinned, const Board& unmoved,
                               std::span<Probabilities> out, Scratch& scratch) const = 0;

  // `p` with outcomes that are impossible on the board set to zero; both in the same view.
  [[nodiscard]] virtual Probabilities clamped(const Probabilities& p, const Board& board) const = 0;

  // `p` made consistent for display: a gammon is a win, a backgammon a gammon.
  [[nodiscard]] virtual Probabilities nested(const Probabilities& p) const = 0;

  // Value of an exact() board for the own side, which is to roll.
  [[nodiscard]] virtual Probabilities exact_pre_roll(const Board& board) const = 0;

  // Cheap order of candidates for pre-selection: higher is better for the side that has moved.
  [[nodiscard]] virtual double rough_value(const Board& post_move, bool race_before) const = 0;
};

}  // namespace botd
