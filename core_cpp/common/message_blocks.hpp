// What MD5 and SHA-256 share: a message cut into blocks, its length behind it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace botd {

inline constexpr std::size_t kMessageBlockBytes = 64;
using MessageBlock = std::array<std::uint8_t, kMessageBlockBytes>;

// Calls visit(block) for every block of the message: the message, a set bit, zeros, and in the last eight bytes its
// length in bits in the given order of bytes.
template <typename Visit>
void for_each_message_block(std::span<const std::uint8_t> message, std::endian order, Visit&& visit) {
  constexpr std::size_t kLengthBytes = 8;
  MessageBlock block{};
  std::span<const std::uint8_t> rest = message;
  for (; rest.size() >= block.size(); rest = rest.subspan(block.size())) {
    std::copy_n(rest.begin(), block.size(), block.begin());
    visit(block);
  }
  block.fill(0);
  std::copy(rest.begin(), rest.end(), block.begin());
  block[rest.size()] = 0x80;
  if (rest.size() >= block.size() - kLengthBytes) {
    visit(block);
    block.fill(0);
  }
  const std::uint64_t bits = std::uint64_t{message.size()} * 8;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    const std::size_t at = order == std::endian::big ? block.size() - 1 - i : block.size() - kLengthBytes + i;
    block[at] = static_cast<std::uint8_t>(bits >> (8 * i));
  }
  visit(block);
}

}  // namespace botd
