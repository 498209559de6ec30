#include "gnubg/evaluator_source.hpp"

#include <cstddef>
#include <utility>

namespace botd::gnubg {
namespace {

struct EvaluatorScratch final : StaticSource::Scratch {
  Workspace workspace;
};

Workspace& workspace_of(StaticSource::Scratch& scratch) {
  return static_cast<EvaluatorScratch&>(scratch).workspace;
}

}  // namespace

Noise noise_of(double deviation, std::optional<std::uint64_t> seed, bool as_signed) {
  using Kind = NoiseSource::Kind;
  if (seed) return {deviation, {Kind::kSeeded, *seed}};
  return {deviation, {as_signed ? Kind::kSignedDigest : Kind::kDigest, 0}};
}

EvaluatorSource::EvaluatorSource(std::shared_ptr<const Evaluator> evaluator, const Noise& noise)
    : evaluator_(std::move(evaluator)), noise_(noise) {}

std::unique_ptr<StaticSource::Scratch> EvaluatorSource::make_scratch() const {
  return std::make_unique<EvaluatorScratch>();
}

PositionClass EvaluatorSource::classify(const Position& position) const {
  return evaluator_->classify(position);
}

void EvaluatorSource::evaluate(std::span<const Position> positions, std::span<const PositionClass> classes,
                               std::span<const Number> numbers, std::span<Probabilities> out,
                               Scratch& scratch) const {
  Workspace& workspace = workspace_of(scratch);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Position& position = positions[numbers[i]];
    const PositionClass position_class = classes[numbers[i]];
    out[i] = noise_.deviation == 0.0
                 ? evaluator_->evaluate(position, position_class, workspace)
                 : evaluator_->noisy(position, position_class, noise_.deviation, noise_.source, workspace);
  }
}

void EvaluatorSource::prune_values(std::span<const Position> positions, PositionClass position_class,
                                   std::span<const Number> numbers, std::span<Probabilities> out,
                                   Scratch& scratch) const {
  Workspace& workspace = workspace_of(scratch);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    out[i] = evaluator_->prune_value(positions[numbers[i]], position_class, workspace);
  }
}

bearoff::TwoSidedEquities EvaluatorSource::two_sided(const Position& position) const {
  return evaluator_->two_sided(position);
}

}  // namespace botd::gnubg
