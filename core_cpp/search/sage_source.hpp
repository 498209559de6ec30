// The Sage evaluator as the search sees it.
#pragma once

#include <cstdint>
#include <memory>

#include "sage/evaluator.hpp"
#include "search/static_source.hpp"

namespace botd {

class SageSource final : public StaticSource {
 public:
  enum class Bearoff : std::uint8_t { kUse, kIgnore };

  // kIgnore: as if the evaluator had no bear-off database.
  explicit SageSource(std::shared_ptr<const sage::Evaluator> evaluator, Bearoff bearoff = Bearoff::kUse);

  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override;
  [[nodiscard]] int route(const Board& board) const override;
  [[nodiscard]] int pinned_network(const Board& root) const override;
  [[nodiscard]] bool exact(const Board& board) const override;
  void evaluate(std::span<const Board> boards, int network, const Board& unmoved,
                std::span<Probabilities> out, Scratch& scratch) const override;
  void evaluate_pinned(std::span<const Board> boards, int pinned, const Board& unmoved,
                       std::span<Probabilities> out, Scratch& scratch) const override;
  [[nodiscard]] Probabilities clamped(const Probabilities& p, const Board& board) const override;
  [[nodiscard]] Probabilities nested(const Probabilities& p) const override;
  [[nodiscard]] Probabilities exact_pre_roll(const Board& board) const override;
  [[nodiscard]] double rough_value(const Board& post_move, bool race_before) const override;

  [[nodiscard]] const sage::Evaluator& evaluator() const { return *evaluator_; }

 private:
  template <typename NetworkOf>
  void evaluate_grouped(std::span<const Board> boards, NetworkOf&& network_of, const Board& unmoved,
                        std::span<Probabilities> out, Scratch& scratch) const;

  std::shared_ptr<const sage::Evaluator> evaluator_;
  Bearoff bearoff_;
};

}  // namespace botd
