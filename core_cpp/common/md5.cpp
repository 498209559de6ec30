#include "common/md5.hpp"

#include <bit>
#include <cstddef>

#include "common/message_blocks.hpp"

namespace botd {
namespace {

using State = std::array<std::uint32_t, 4>;

// floor(2^32 |sin(i + 1)|), as the RFC lists them.
constexpr std::array<std::uint32_t, 64> kSines = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

constexpr std::array<std::array<int, 4>, 4> kRotations = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

std::uint32_t word(const MessageBlock& block, std::size_t i) {
  std::uint32_t value = 0;
  for (std::size_t b = 4; b-- > 0;) value = (value << 8) | block[4 * i + b];
  return value;
}

void add_block(State& state, const MessageBlock& block) {
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    std::uint32_t mixed = 0;
    std::size_t source = i;
    switch (i / 16) {
      case 0:
        mixed = (b & c) | (~b & d);
        break;
      case 1:
        mixed = (d & b) | (~d & c);
        source = (5 * i + 1) % 16;
        break;
      case 2:
        mixed = b ^ c ^ d;
        source = (3 * i + 5) % 16;
        break;
      default:
        mixed = c ^ (b | ~d);
        source = (7 * i) % 16;
    }
    const std::uint32_t sum = a + mixed + kSines[i] + word(block, source);
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kRotations[i / 16][i % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

Md5Digest md5(std::span<const std::uint8_t> message) {
  State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for_each_message_block(message, std::endian::little, [&state](const MessageBlock& block) { add_block(state, block); });
  Md5Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (8 * (i % 4)));
  return digest;
}

}  // namespace botd
