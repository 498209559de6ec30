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

PositionClass EvaluatorSource::classify(const Board& on_roll) const { return evaluator_->classify(on_roll); }

void EvaluatorSource::evaluate(std::span<const Board> on_roll, std::span<Probabilities> out,
                               Scratch& scratch) const {
  Workspace& workspace = workspace_of(scratch);
  if (noise_.deviation == 0.0) {
    evaluator_->evaluate(on_roll, out, workspace);
    return;
  }
  for (std::size_t i = 0; i < on_roll.size(); ++i) {
    out[i] = evaluator_->noisy(on_roll[i], noise_.deviation, noise_.source, workspace);
  }
}

void EvaluatorSource::prune_values(std::span<const Board> on_roll, PositionClass position_class,
                                   std::span<Probabilities> out, Scratch& scratch) const {
  Workspace& workspace = workspace_of(scratch);
  for (std::size_t i = 0; i < on_roll.size(); ++i) {
    out[i] = evaluator_->prune_value(on_roll[i], position_class, workspace);
  }
}

bearoff::TwoSidedEquities EvaluatorSource::two_sided(const Board& on_roll) const {
  return evaluator_->two_sided(on_roll);
}

}  // namespace botd::gnubg
