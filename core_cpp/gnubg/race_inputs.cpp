#include "gnubg/race_inputs.hpp"

#include <bit>

#include "gnubg/point_code.hpp"

namespace botd::gnubg {
namespace {

constexpr int kSideInputs = kRaceInputs / 2;
constexpr int kOffInput = 92;  // one checker off
constexpr int kCrossoverInput = 106;

void add_side(const Side& side, int first_input, ActiveInputs& inputs) {
  int crossovers = 0;
  for (std::uint32_t points = side.occupied; points != 0; points &= points - 1) {
    const int i = std::countr_zero(points);
    add_point(first_input + kPointInputs * i, side[i], inputs);
    crossovers += i / 6 * side[i];
  }
  if (const int off = kCheckers - side.checkers; off > 0) inputs.add(first_input + kOffInput + off - 1, 1.0F);
  inputs.add(first_input + kCrossoverInput, static_cast<float>(crossovers) / 10.0F);
}

}  // namespace

void add_race_inputs(const Position& position, ActiveInputs& inputs) {
  add_side(position.other, 0, inputs);
  add_side(position.roller, kSideInputs, inputs);
}

}  // namespace botd::gnubg
