#include "gnubg/side.hpp"

namespace botd::gnubg {
namespace {

void place(Side& side, int i, int n) {
  side.count[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(n);
  side.checkers += n;
  side.occupied |= static_cast<std::uint32_t>(n >= 1) << i;
  side.made |= static_cast<std::uint32_t>(n >= 2) << i;
}

}  // namespace

Position position_of(const Board& on_roll) {
  Position position;
  for (int i = 0; i < kPoints; ++i) {
    const int n = on_roll[static_cast<std::size_t>(i) + 1];
    if (n > 0) place(position.roller, i, n);
    if (n < 0) place(position.other, 23 - i, -n);
  }
  place(position.roller, kBar, on_roll[kOwnBar]);
  place(position.other, kBar, on_roll[kOpponentBar]);
  for (Side* side : {&position.roller, &position.other}) side->blots = side->occupied & ~side->made;
  return position;
}

int checkers_on(const Side& side, int first, int last) {
  int sum = 0;
  for (int i = first; i <= last; ++i) sum += side[i];
  return sum;
}

}  // namespace botd::gnubg
