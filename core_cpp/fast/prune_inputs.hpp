// Inputs of the rough network: encoding "rough318".
//
// Each input depends on what stands on one place only, or on one of a few whole numbers. So the first layer is a sum of
// one vector for each place and number, and a play changes it by the vectors of the few places that it touches.
#pragma once

#include <array>
#include <cstddef>

#include "fast/prune_features.hpp"
#include "rules/board.hpp"

namespace botd::fast {

inline constexpr const char* kPruneEncoding = "rough318";

// (n >= 1, ..., n >= 5, (n - 5) / 2 from 6 on) for n checkers of a side on a point.
inline constexpr std::size_t kPrunePointInputs = 6;
// (n >= 1, n >= 2, (n - 2) / 2 from 3 on) for n checkers on the bar.
inline constexpr std::size_t kPruneBarInputs = 3;
// (n >= 1, n / 5) for n checkers borne off.
inline constexpr std::size_t kPruneOffInputs = 2;

// Where the inputs of a kind begin; points are numbered as in Board, from 1.
inline constexpr std::size_t kPruneOwnPoints = 0;
inline constexpr std::size_t kPruneOpponentPoints = kPruneOwnPoints + kPoints * kPrunePointInputs;
inline constexpr std::size_t kPruneOwnBar = kPruneOpponentPoints + kPoints * kPrunePointInputs;
inline constexpr std::size_t kPruneOpponentBar = kPruneOwnBar + kPruneBarInputs;
inline constexpr std::size_t kPruneOwnOff = kPruneOpponentBar + kPruneBarInputs;
inline constexpr std::size_t kPruneOpponentOff = kPruneOwnOff + kPruneOffInputs;
// For each of the features but the number of own checkers off, in their order: (v > 0, v / 12, and what is beyond each
// of three thresholds, / 12).
inline constexpr std::size_t kPruneFeatureInputs = 5;
inline constexpr std::size_t kPruneFirstFeature = kPruneOpponentOff + kPruneOffInputs;
inline constexpr std::size_t kPruneInputs = kPruneFirstFeature + (kPruneFeatures - 1) * kPruneFeatureInputs;

// The inputs that depend on one place or number.
struct PlaceInputs {
  std::size_t first = 0;
  std::size_t count = 0;
  std::array<float, kPrunePointInputs> values{};
};

// `content` as Board has it at index `place`, 0 to 25: negative for opposing checkers on a point. There are no inputs
// for an empty place.
[[nodiscard]] PlaceInputs prune_place_inputs(std::size_t place, int content);
[[nodiscard]] PlaceInputs prune_off_inputs(bool own, int checkers);
[[nodiscard]] PlaceInputs prune_feature_inputs(PruneFeature feature, int value);

// All inputs of a possible board: kPruneInputs floats.
void prune_inputs(const Board& board, float* inputs);

}  // namespace botd::fast
