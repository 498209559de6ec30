// The Sage networks with Janowski's cube, as the fast search sees them.
#pragma once

#include <memory>

#include "cube/match_equity.hpp"
#include "fast/prune_net.hpp"
#include "fast/value_source.hpp"
#include "search/noise.hpp"
#include "search/static_source.hpp"

namespace botd::fast {

// Values are those of the exact search's leaves, ratings those by which it chooses plays, rough values those of the rough
// network.
class SageValues final : public ValueSource {
 public:
  // `rough`: may be null, then Pubeval ranks roughly. `noise` is added to the static values of the root's own plays,
  // as in the exact search.
  SageValues(std::shared_ptr<const StaticSource> source, const MatchEquityTable& table,
             std::shared_ptr<const PruneNet> rough, const Noise& noise = {});

  [[nodiscard]] std::unique_ptr<Scratch> make_scratch(std::size_t cache_bytes) const override;
  [[nodiscard]] const MatchEquityTable& table() const override { return table_; }
  [[nodiscard]] std::unique_ptr<const CubeStates> prepared(std::vector<CubeState> states,
                                                           bool opponent_doubles) const override;
  void begin(const Question& question, Scratch& scratch) const override;
  void ratings(std::span<const Board> post_move, const Board& unmoved, const CubeStates& state, Place place,
               std::span<double> ratings, std::span<float> ties, Scratch& scratch) const override;
  void values(std::span<const Board> post_move, std::span<const std::uint32_t> picked, const CubeStates& states,
              std::span<double> values, std::span<Probabilities> probabilities, Scratch& scratch) const override;
  void static_values(std::span<const Board> post_move, const CubeStates& states, std::span<double> values,
                     std::span<Probabilities> probabilities, Scratch& scratch) const override;
  void rough_values(std::span<const Board> post_move, const Board& unmoved, std::span<float> out,
                    Scratch& scratch) const override;
  [[nodiscard]] bool exact(const Board& post_move) const override { return source_->exact(post_move); }
  [[nodiscard]] CubeState cubeless_state(const CubeState& /*state*/) const override { return capped_money_cube(); }
  [[nodiscard]] bool is_leaf(const Board& post_move, Scratch& scratch) const override;
  [[nodiscard]] bool has_probabilities() const override { return true; }
  [[nodiscard]] bool rates_with_double() const override { return false; }
  [[nodiscard]] bool searches_beavers() const override { return true; }
  [[nodiscard]] Probabilities shown(const Probabilities& p) const override { return source_->nested(p); }

 private:
  std::shared_ptr<const StaticSource> source_;
  MatchEquityTable table_;
  std::shared_ptr<const PruneNet> rough_;
  Noise noise_;
};

}  // namespace botd::fast
