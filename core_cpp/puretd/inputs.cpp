#include "puretd/inputs.hpp"

#include <algorithm>

#include "nets/dense_network.hpp"

namespace botd::puretd {
namespace {

constexpr int kOne = nets::kInputSteps;
constexpr int kHalf = kOne / 2;
constexpr int kFifteenth = kOne / kCheckers;
static_assert(2 * kHalf == kOne && kCheckers * kFifteenth == kOne);

constexpr std::size_t kPointInputs = 4;
constexpr std::size_t kSideInputs = kPointInputs * kPoints + 2;
static_assert(2 * kSideInputs == kBoardInputs);

void write_point(int checkers, std::int16_t* inputs) {
  for (int k = 0; k < std::min(checkers, 3); ++k) inputs[k] = kOne;
  if (checkers > 3) inputs[3] = static_cast<std::int16_t>((checkers - 3) * kHalf);
}

void write_bar_and_off(int on_bar, int off, std::int16_t* inputs) {
  inputs[0] = static_cast<std::int16_t>(on_bar * kHalf);
  inputs[1] = static_cast<std::int16_t>(off * kFifteenth);
}

}  // namespace

void write_board_inputs(const Board& to_play, std::int16_t* inputs) {
  int own = to_play[kOwnBar];
  int opposing = to_play[kOpponentBar];
  for (std::size_t point = 1; point <= kPoints; ++point) {
    const int checkers = to_play[point];
    if (checkers == 0) continue;
    std::int16_t* const place = inputs + kPointInputs * (point - 1);
    if (checkers > 0) {
      write_point(checkers, place);
      own += checkers;
    } else {
      write_point(-checkers, place + kSideInputs);
      opposing -= checkers;
    }
  }
  write_bar_and_off(to_play[kOwnBar], kCheckers - own, inputs + kPointInputs * kPoints);
  write_bar_and_off(to_play[kOpponentBar], kCheckers - opposing, inputs + kSideInputs + kPointInputs * kPoints);
}

void write_cube_inputs(CubeOwner cube, Moment moment, std::int16_t* inputs) {
  inputs[0] = cube == CubeOwner::kCentered ? kOne : 0;
  inputs[1] = cube == CubeOwner::kOwn ? kOne : 0;
  inputs[2] = cube == CubeOwner::kOpponent ? kOne : 0;
  inputs[3] = moment == Moment::kCube ? kOne : 0;
}

}  // namespace botd::puretd
