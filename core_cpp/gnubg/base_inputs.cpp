#include "gnubg/base_inputs.hpp"

#include <bit>

#include "gnubg/point_code.hpp"

namespace botd::gnubg {
namespace {

constexpr int kSideInputs = kBaseInputs / 2;

void add_side(const Side& side, int first_input, ActiveInputs& inputs) {
  for (std::uint32_t points = side.occupied & kPointBits; points != 0; points &= points - 1) {
    const int i = std::countr_zero(points);
    add_point(first_input + kPointInputs * i, side[i], inputs);
  }
  if (const int n = side.bar(); n > 0) {
    const int bar = first_input + kPointInputs * kBar;
    inputs.add(bar, 1.0F);
    inputs.add(bar + 1, n >= 2 ? 1.0F : 0.0F);
    inputs.add(bar + 2, n >= 3 ? 1.0F : 0.0F);
    inputs.add(bar + 3, n > 3 ? static_cast<float>(n - 3) * 0.5F : 0.0F);
  }
}

}  // namespace

void add_base_inputs(const Position& position, ActiveInputs& inputs) {
  add_side(position.other, 0, inputs);
  add_side(position.roller, kSideInputs, inputs);
}

}  // namespace botd::gnubg
