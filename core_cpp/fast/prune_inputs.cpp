#include "fast/prune_inputs.hpp"

#include <algorithm>

namespace botd::fast {
namespace {

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

void prune_inputs(const Board& board, float* inputs) {
  std::fill_n(inputs, kPruneInputs, 0.0F);
  for (std::size_t place = 0; place < board.points.size(); ++place)
    write(prune_place_inputs(place, board[place]), inputs);
  write(prune_off_inputs(true, own_borne_off(board)), inputs);
  write(prune_off_inputs(false, opponent_borne_off(board)), inputs);
}

}  // namespace botd::fast
