// gnubg's evaluator and cube as the fast search sees them.
#pragma once

#include <memory>

#include "cube/match_equity.hpp"
#include "fast/prune_net.hpp"
#include "fast/value_source.hpp"
#include "gnubg/leaf_value.hpp"
#include "gnubg/profile.hpp"
#include "gnubg/static_source.hpp"

namespace botd::fast {

// Values are those of the leaves of gnubg's search, ratings those by which it chooses plays, rough values those of the
// rough network, which orders plays better than gnubg's pruning networks do. Static values depend on the board alone
// and are remembered from one decision to the next.
class GnubgValues final : public ValueSource {
 public:
  GnubgValues(std::shared_ptr<const gnubg::StaticSource> source, gnubg::Profile profile,
              const MatchEquityTable& table, std::shared_ptr<const PruneNet> rough);

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
  // Where gnubg's own search ends, is_leaf() says so.
  [[nodiscard]] bool exact(const Board& /*post_move*/) const override { return false; }
  [[nodiscard]] bool is_leaf(const Board& post_move, Scratch& scratch) const override;
  [[nodiscard]] CubeState cubeless_state(const CubeState& state) const override { return state; }
  [[nodiscard]] bool has_probabilities() const override { return true; }
  [[nodiscard]] bool rates_with_double() const override { return true; }
  [[nodiscard]] bool searches_beavers() const override { return false; }

 private:
  std::shared_ptr<const gnubg::StaticSource> source_;
  gnubg::Profile profile_;
  MatchEquityTable table_;
  std::shared_ptr<const PruneNet> rough_;
};

}  // namespace botd::fast
