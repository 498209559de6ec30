// The 40 bytes of text that GNU Backgammon's bear-off databases begin with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "bearoff/mapped_file.hpp"

namespace botd::bearoff {

inline constexpr std::size_t kHeaderSize = 40;

// gnubg-OS-PP-CC-G-Z-N
struct OneSidedShape {
  int points = 6;
  int checkers = 15;
  bool gammons = true;     // G: distributions of the first checker off are there, too
  bool compressed = true;  // Z: only the stretch of a distribution that is not zero is stored
  bool normal = false;     // N: mean and standard deviation in place of distributions

  friend bool operator==(const OneSidedShape&, const OneSidedShape&) = default;
};

// gnubg-TS-PP-CC-Q
struct TwoSidedShape {
  int points = 6;
  int checkers = 6;
  bool cubeful = true;  // Q: three cubeful equities follow the cubeless one

  friend bool operator==(const TwoSidedShape&, const TwoSidedShape&) = default;
};

using Shape = std::variant<OneSidedShape, TwoSidedShape>;

// The header with its padding and line feed; points and checkers must have at most two digits.
[[nodiscard]] std::string header_text(const OneSidedShape& shape);
[[nodiscard]] std::string header_text(const TwoSidedShape& shape);

// Throws DataError if the file does not begin with such a header, or has a number of points or checkers that
// we cannot index (1..18 points, 1..15 checkers).
[[nodiscard]] Shape read_header(const MappedFile& file);

// Throws DataError unless the file has this many bytes.
void expect_size(const MappedFile& file, std::uint64_t size, const std::string& why);

}  // namespace botd::bearoff
