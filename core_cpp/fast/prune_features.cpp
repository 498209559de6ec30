#include "fast/prune_features.hpp"

#include <bit>

#include "common/escapes.hpp"
#include "rules/board_bits.hpp"

namespace botd::fast {
namespace {

constexpr int kPipStep = 16;

// Bit i becomes bit 25 - i, for points.
constexpr std::uint32_t reversed_points(std::uint32_t word) {
  word = ((word >> 1) & 0x55555555U) | ((word & 0x55555555U) << 1);
  word = ((word >> 2) & 0x33333333U) | ((word & 0x33333333U) << 2);
  word = ((word >> 4) & 0x0F0F0F0FU) | ((word & 0x0F0F0F0FU) << 4);
  word = ((word >> 8) & 0x00FF00FFU) | ((word & 0x00FF00FFU) << 8);
  word = (word >> 16) | (word << 16);
  return word >> 6;
}

}  // namespace

PruneRows prune_features(const Board& board, PruneHitsFunction hits_of) {
  const std::uint32_t own = places_above(board, 0) & ~1U;
  const std::uint32_t made = places_above(board, 1) & kAllPoints;
  const std::uint32_t blots = own & kAllPoints & ~made;
  const std::uint32_t opponent = places_below(board, 0) | (board[kOpponentBar] > 0 ? 1U : 0U);
  const std::uint32_t opponent_made = places_below(board, -1);
  const int rear = std::bit_width(own | 1U) - 1;
  const int opponent_rear = std::countr_zero(opponent | (1U << kOwnBar));

  PruneHits hits;
  if (blots >> opponent_rear != 0U) hits = hits_of(opponent_rear == kOpponentBar ? 1U : opponent, blots, made);
  const std::size_t ahead = (reversed_points(opponent_made) >> (kOwnBar + 1 - rear)) % kEscapeMasks;
  const std::size_t opponent_ahead = (made >> (opponent_rear + 1)) % kEscapeMasks;
  const std::array<int, kPruneFeatures> values = {own_borne_off(board), hits.rolls, hits.pips / kPipStep, kEscapes[ahead],
                                                  kEscapes[opponent_ahead]};
  PruneRows rows;
  for (std::size_t f = 0; f < kPruneFeatures; ++f)
    rows[f] = static_cast<std::uint8_t>(static_cast<int>(kPruneFeatureStart[f]) + values[f]);
  return rows;
}

}  // namespace botd::fast
