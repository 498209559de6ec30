// What gnubg's search asks of its static evaluator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "bearoff/two_sided.hpp"
#include "gnubg/position_class.hpp"
#include "gnubg/side.hpp"
#include "rules/probabilities.hpp"

namespace botd::gnubg {

// Static values of positions, for the side on roll. Immutable; threads share one instance, each with its own
// Scratch. A value depends on the position alone, not on what it is batched with.
class StaticSource {
 public:
  using Number = std::uint32_t;

  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  virtual ~StaticSource() = default;

  [[nodiscard]] virtual std::unique_ptr<Scratch> make_scratch() const = 0;

  [[nodiscard]] virtual PositionClass classify(const Position& position) const = 0;

  // Some of many positions: out[i] is the value of the one with the number numbers[i]. `classes` are those of
  // all positions.
  virtual void evaluate(std::span<const Position> positions, std::span<const PositionClass> classes,
                        std::span<const Number> numbers, std::span<Probabilities> out,
                        Scratch& scratch) const = 0;

  // The same with the rough values of the pruning networks. The numbered ones are all of one class: kRace,
  // kCrashed or kContact.
  virtual void prune_values(std::span<const Position> positions, PositionClass position_class,
                            std::span<const Number> numbers, std::span<Probabilities> out,
                            Scratch& scratch) const = 0;

  // Exact equities of a position of class kTwoSided.
  [[nodiscard]] virtual bearoff::TwoSidedEquities two_sided(const Position& position) const = 0;
};

}  // namespace botd::gnubg
