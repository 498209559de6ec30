// Networks that give cubeful equities directly, as the fast search sees them.
#pragma once

#include <memory>

#include "cube/match_equity.hpp"
#include "fast/prune_net.hpp"
#include "fast/value_source.hpp"
#include "puretd/evaluator.hpp"

namespace botd::fast {

// Values are the network's own, with the opponent's coming double left to its is-it-a-cube-moment input; there are no
// probabilities. Money play only: begin() throws UnsupportedGame for a question about a match.
class PuretdValues final : public ValueSource {
 public:
  // A network of kind cubeful_equity; throws UnsupportedGame for another. `table`: for the search, which asks it nothing
  // about money play. `rough`: may be null, then the network itself ranks roughly, as if the cube were in the middle.
  PuretdValues(std::shared_ptr<const puretd::Evaluator> evaluator, const MatchEquityTable& table,
               std::shared_ptr<const PruneNet> rough);

  [[nodiscard]] std::unique_ptr<Scratch> make_scratch(std::size_t cache_bytes) const override;
  [[nodiscard]] const MatchEquityTable& table() const override { return table_; }
  [[nodiscard]] std::unique_ptr<const CubeStates> prepared(std::vector<CubeState> states,
                                                           bool opponent_doubles) const override;
  void begin(const Question& question, Scratch& scratch) const override;
  void ratings(std::span<const Board> post_move, const Board& unmoved, const CubeStates& state, Place place,
               std::span<double> ratings, std::span<float> ties, Scratch& scratch) const override;
  void values(std::span<const Board> post_move, std::span<const std::uint32_t> picked, const CubeStates& states,
              std::span<double> values, std::span<Probabilities> probabilities, Scratch& scratch) const override;
  void rough_values(std::span<const Board> post_move, const Board& unmoved, std::span<float> out,
                    Scratch& scratch) const override;
  [[nodiscard]] bool exact(const Board& post_move) const override;
  // The cube as it is, but nobody can turn it.
  [[nodiscard]] CubeState cubeless_state(const CubeState& state) const override;
  [[nodiscard]] bool is_leaf(const Board& post_move, Scratch& /*scratch*/) const override { return exact(post_move); }
  [[nodiscard]] bool has_probabilities() const override { return false; }
  [[nodiscard]] bool rates_with_double() const override { return true; }
  [[nodiscard]] bool searches_beavers() const override { return false; }

 private:
  std::shared_ptr<const puretd::Evaluator> evaluator_;
  MatchEquityTable table_;
  std::shared_ptr<const PruneNet> rough_;
};

}  // namespace botd::fast
