// The Sage networks with Janowski's cube, as the fast search sees them.
#pragma once

#include <memory>

#include "cube/match_equity.hpp"
#include "fast/value_source.hpp"
#include "search/noise.hpp"
#include "search/static_source.hpp"

namespace botd::fast {

// Values are those of the exact search's leaves, ratings those by which it chooses plays.
class SageValues final : public ValueSource {
 public:
  // `noise` is added to the static values of the root's own plays, as in the exact search.
  SageValues(std::shared_ptr<const StaticSource> source, const MatchEquityTable& table, const Noise& noise = {});

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
  [[nodiscard]] bool is_leaf(const Board& post_move, Scratch& scratch) const override;
  [[nodiscard]] bool has_probabilities() const override { return true; }
  [[nodiscard]] bool searches_beavers() const override { return true; }
  [[nodiscard]] Probabilities shown(const Probabilities& p) const override { return source_->nested(p); }

 private:
  std::shared_ptr<const StaticSource> source_;
  MatchEquityTable table_;
  Noise noise_;
};

}  // namespace botd::fast
