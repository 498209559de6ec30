#include "sage/encoding.hpp"

#include <algorithm>

#include "sage/contact_features.hpp"

namespace botd::sage {
namespace {

constexpr auto make_point_code() {
  std::array<std::array<float, kPointInputs>, kCheckers + 1> code{};
  for (std::size_t n = 0; n < code.size(); ++n)
    code[n] = {n >= 1 ? 1.0F : 0.0F, n >= 2 ? 1.0F : 0.0F, n >= 3 ? 1.0F : 0.0F,
               n >= 4 ? static_cast<float>(n - 3) / 2.0F : 0.0F};
  return code;
}

void write_points(const Board& board, float* own, float* opponent) {
  for (std::size_t i = 1; i <= kPoints; ++i) {
    const auto& own_code = kPointCode[static_cast<std::size_t>(std::max(0, board[i]))];
    const auto& opponent_code = kPointCode[static_cast<std::size_t>(std::max(0, -board[i]))];
    std::copy(own_code.begin(), own_code.end(), own + kPointInputs * (i - 1));
    std::copy(opponent_code.begin(), opponent_code.end(), opponent + kPointInputs * (i - 1));
  }
}

}  // namespace

constexpr std::array<std::array<float, kPointInputs>, kCheckers + 1> kPointCode = make_point_code();

void write_race_extras(const SideView& side, float* inputs) {
  inputs[0] = static_cast<float>(side.bar()) / 2.0F;
  inputs[1] = static_cast<float>(side.off) / 15.0F;
}

void encode_race(const Board& board, float* inputs) {
  const PositionView view = view_of(board);
  write_points(board, inputs, inputs + kRaceOpponentPoints);
  write_race_extras(view.own, inputs + kSidePointInputs);
  write_race_extras(view.opponent, inputs + kRaceOpponentPoints + kSidePointInputs);
}

void encode_contact(const Board& board, float* inputs) {
  const PositionView view = view_of(board);
  write_points(board, inputs, inputs + kContactOpponentPoints);
  write_feature_inputs(contact_features(view.own), inputs + kSidePointInputs);
  write_feature_inputs(contact_features(view.opponent), inputs + kContactOpponentPoints + kSidePointInputs);
}

}  // namespace botd::sage
