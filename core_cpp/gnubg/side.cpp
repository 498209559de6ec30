#include "gnubg/side.hpp"

#include <cstring>

namespace botd::gnubg {
namespace {

// Eight points at a time, a byte each, the lowest point in the lowest byte.
constexpr std::uint64_t kOnes = 0x0101010101010101U;
static_assert(std::endian::native == std::endian::little);

// The lowest bits of the eight bytes (0 or 1 each) side by side.
std::uint32_t gathered(std::uint64_t bytes) {
  return static_cast<std::uint32_t>((bytes * 0x0102040810204080U) >> 56);
}

// The bytes in the opposite order.
std::uint64_t reversed(std::uint64_t bytes) {
  bytes = ((bytes >> 8) & 0x00FF00FF00FF00FFU) | ((bytes & 0x00FF00FF00FF00FFU) << 8);
  bytes = ((bytes >> 16) & 0x0000FFFF0000FFFFU) | ((bytes & 0x0000FFFF0000FFFFU) << 16);
  return (bytes >> 32) | (bytes << 32);
}

// `counts` (at most 15 each) become the side's indices 8 * part to 8 * part + 7.
void place(Side& side, std::uint64_t counts, int part) {
  std::memcpy(side.count.data() + 8 * part, &counts, sizeof counts);
  side.checkers += static_cast<int>((counts * kOnes) >> 56);
  const auto at_least = [counts](std::uint64_t n) {
    return gathered(((counts + (0x80 - n) * kOnes) >> 7) & kOnes);
  };
  side.occupied |= at_least(1) << (8 * part);
  side.made |= at_least(2) << (8 * part);
}

void place_bar(Side& side, int n) {
  side.count[kBar] = static_cast<std::uint8_t>(n);
  side.checkers += n;
  side.occupied |= static_cast<std::uint32_t>(n >= 1) << kBar;
  side.made |= static_cast<std::uint32_t>(n >= 2) << kBar;
  side.blots = side.occupied & ~side.made;
}

}  // namespace

Position position_of(const Board& on_roll) {
  Position position;
  for (int part = 0; part < 3; ++part) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, on_roll.points.data() + 1 + 8 * part, sizeof bytes);
    const std::uint64_t negative = (bytes >> 7) & kOnes;
    const std::uint64_t others = negative * 0xFF;  // all bits where the other side stands
    place(position.roller, bytes & ~others, part);
    place(position.other, reversed((~bytes & others) + negative), 2 - part);
  }
  place_bar(position.roller, on_roll[kOwnBar]);
  place_bar(position.other, on_roll[kOpponentBar]);
  return position;
}

int checkers_on(const Side& side, int first, int last) {
  int sum = 0;
  for (int i = first; i <= last; ++i) sum += side[i];
  return sum;
}

}  // namespace botd::gnubg
