// What a board tells a rough network beside the checkers on its places: small whole numbers, quick to find.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fast/prune_hits.hpp"
#include "rules/board.hpp"

namespace botd::fast {

enum class PruneFeature : std::uint8_t {
  kOwnOff,           // own checkers borne off
  kHits,             // of the 36 rolls, those that hit an own blot
  kPipsHit,          // pips lost to the rearmost of the blots that each roll hits, over all 36, in steps of 16
  kEscapes,          // rolls that take the rearmost own checker past the opponent's points
  kOpponentEscapes,  // the same of the opponent's rearmost checker
};
inline constexpr std::size_t kPruneFeatures = 5;

// How many values each may have, from 0 on.
inline constexpr std::array<std::size_t, kPruneFeatures> kPruneFeatureValues = {16, 37, 55, 37, 37};

// Where the values of each begin when those of all stand in one row.
inline constexpr std::array<std::size_t, kPruneFeatures> kPruneFeatureStart = {0, 16, 53, 108, 145};
inline constexpr std::size_t kPruneFeatureRows = 182;

// By PruneFeature, its start plus its value.
using PruneRows = std::array<std::uint8_t, kPruneFeatures>;

// Of a possible board, seen by the side that has moved, the opponent to roll. A hit is counted if one checker makes it
// alone, with one die or all of the roll, by way of open points; a checker on the bar has to. Escapes are kEscapes.
[[nodiscard]] PruneRows prune_features(const Board& board, PruneHitsFunction hits_of = prune_hits_plain);

}  // namespace botd::fast
