// What gnubg's search asks of its static evaluator.
#pragma once

#include <memory>
#include <span>

#include "bearoff/two_sided.hpp"
#include "gnubg/position_class.hpp"
#include "rules/board.hpp"
#include "rules/probabilities.hpp"

namespace botd::gnubg {

// Static values of boards seen by the side on roll. Immutable; threads share one instance, each with its own
// Scratch. A value depends on the board alone, not on what it is batched with.
class StaticSource {
 public:
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  virtual ~StaticSource() = default;

  [[nodiscard]] virtual std::unique_ptr<Scratch> make_scratch() const = 0;

  [[nodiscard]] virtual PositionClass classify(const Board& on_roll) const = 0;

  virtual void evaluate(std::span<const Board> on_roll, std::span<Probabilities> out,
                        Scratch& scratch) const = 0;

  // The rough values of the pruning networks. All boards are of one class: kRace, kCrashed or kContact.
  virtual void prune_values(std::span<const Board> on_roll, PositionClass position_class,
                            std::span<Probabilities> out, Scratch& scratch) const = 0;

  // Exact equities of a board of class kTwoSided.
  [[nodiscard]] virtual bearoff::TwoSidedEquities two_sided(const Board& on_roll) const = 0;
};

}  // namespace botd::gnubg
