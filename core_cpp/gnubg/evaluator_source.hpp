// gnubg's static evaluator as the search sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "gnubg/evaluator.hpp"
#include "gnubg/static_source.hpp"

namespace botd::gnubg {

// Errors to play worse by.
struct Noise {
  double deviation = 0.0;  // of the winning chance
  NoiseSource source;
};

// Noise from a seed, or without one from the position alone, so that it repeats. `as_signed`: then as
// gnubg 1.07's usual builds read the digest.
[[nodiscard]] Noise noise_of(double deviation, std::optional<std::uint64_t> seed, bool as_signed);

class EvaluatorSource final : public StaticSource {
 public:
  explicit EvaluatorSource(std::shared_ptr<const Evaluator> evaluator, const Noise& noise = {});

  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override;
  [[nodiscard]] PositionClass classify(const Position& position) const override;
  void evaluate(std::span<const Position> positions, std::span<const PositionClass> classes,
                std::span<const Number> numbers, std::span<Probabilities> out,
                Scratch& scratch) const override;
  void prune_values(std::span<const Position> positions, PositionClass position_class,
                    std::span<const Number> numbers, std::span<Probabilities> out,
                    Scratch& scratch) const override;
  [[nodiscard]] bearoff::TwoSidedEquities two_sided(const Position& position) const override;

 private:
  std::shared_ptr<const Evaluator> evaluator_;
  Noise noise_;
};

}  // namespace botd::gnubg
