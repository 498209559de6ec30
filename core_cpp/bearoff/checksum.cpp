#include "bearoff/checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "rules/errors.hpp"

namespace botd::bearoff {
namespace {

struct Standard {
  std::string_view header;  // up to the padding
  std::uint64_t checksum;
};

constexpr std::array<Standard, 6> kStandard = {{
    {"gnubg-OS-06-15-1-1-0x", 0x1B5F919ECA2E37B4U},
    {"gnubg-OS-06-15-0-1-0x", 0xED7A539FD8336F0BU},
    {"gnubg-OS-06-15-1-0-0x", 0x0D7CB76A4468556BU},
    {"gnubg-OS-06-15-0-0-0x", 0xC01D8161D0E95477U},
    {"gnubg-TS-06-06-1x", 0xFDBCEE38F56B6FCFU},
    {"gnubg-TS-06-06-0x", 0xDAE26E99B09FABA0U},
}};

constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;  // odd, so that multiplying is one-to-one

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::array<std::byte, 8> group{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i), std::min<std::size_t>(8, bytes.size() - i),
                group.begin());
    std::uint64_t word = 0;
    std::memcpy(&word, group.data(), sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    sum = (sum ^ word) * kMultiplier;
    sum = (sum ^ sum >> 32) * kMultiplier;
    sum ^= sum >> 29;
  }
  return sum;
}

std::uint64_t standard_checksum(std::string_view header) {
  for (const Standard& standard : kStandard)
    if (header.starts_with(standard.header)) return standard.checksum;
  return 0;
}

void check_standard(const MappedFile& file, std::string_view header) {
  const std::uint64_t expected = standard_checksum(header);
  if (expected != 0 && checksum(file.bytes()) != expected)
    throw DataError(
        file.path().string() +
        ": the numbers are not those of the standard database with this header; expected an undamaged file "
        "(make a new one with `botd-engine bearoff generate`)");
}

}  // namespace botd::bearoff
