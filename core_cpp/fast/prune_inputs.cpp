#include "fast/prune_inputs.hpp"

#include <algorithm>

namespace botd::fast {
namespace {

constexpr std::array<int, kPruneFeatureInputs - 1> kThresholds = {0, 6, 12, 20};

// `count` inputs for n checkers: thresholds from 1 on, and what is beyond them, halved.
PlaceInputs thermometer(std::size_t first, std::size_t count, int n) {
  PlaceInputs inputs{first, count, {}};
  const int thresholds = static_cast<int>(count) - 1;
  for (int k = 1; k <= thresholds; ++k) inputs.values[static_cast<std::size_t>(k - 1)] = n >= k ? 1.0F : 0.0F;
  inputs.values[count - 1] = 0.5F * static_cast<float>(std::max(0, n - thresholds));
  return inputs;
}

void write(const PlaceInputs& place, float* inputs) {
  std::copy_n(place.values.begin(), place.count, inputs + place.first);
}

}  // namespace

PlaceInputs prune_place_inputs(std::size_t place, int content) {
  if (content == 0) return {};
  if (place == kOpponentBar) return thermometer(kPruneOpponentBar, kPruneBarInputs, content);
  if (place == kOwnBar) return thermometer(kPruneOwnBar, kPruneBarInputs, content);
  const std::size_t side = content > 0 ? kPruneOwnPoints : kPruneOpponentPoints;
  return thermometer(side + (place - 1) * kPrunePointInputs, kPrunePointInputs, content > 0 ? content : -content);
}

PlaceInputs prune_off_inputs(bool own, int checkers) {
  return {own ? kPruneOwnOff : kPruneOpponentOff,
          kPruneOffInputs,
          {checkers > 0 ? 1.0F : 0.0F, 0.2F * static_cast<float>(checkers)}};
}

PlaceInputs prune_feature_inputs(PruneFeature feature, int value) {
  if (feature == PruneFeature::kOwnOff) return prune_off_inputs(true, value);
  const std::size_t first = kPruneFirstFeature + (static_cast<std::size_t>(feature) - 1) * kPruneFeatureInputs;
  PlaceInputs inputs{first, kPruneFeatureInputs, {value > 0 ? 1.0F : 0.0F}};
  for (std::size_t k = 0; k < kThresholds.size(); ++k)
    inputs.values[k + 1] = static_cast<float>(std::max(0, value - kThresholds[k])) / 12.0F;
  return inputs;
}

void prune_inputs(const Board& board, float* inputs) {
  std::fill_n(inputs, kPruneInputs, 0.0F);
  for (std::size_t place = 0; place < board.points.size(); ++place)
    write(prune_place_inputs(place, board[place]), inputs);
  const PruneRows rows = prune_features(board);
  for (std::size_t f = 0; f < kPruneFeatures; ++f)
    write(prune_feature_inputs(static_cast<PruneFeature>(f), rows[f] - static_cast<int>(kPruneFeatureStart[f])), inputs);
  write(prune_off_inputs(false, opponent_borne_off(board)), inputs);
}

}  // namespace botd::fast
