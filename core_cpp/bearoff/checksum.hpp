// Recognises standard databases, so that no damage to one can pass unnoticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bearoff/mapped_file.hpp"

namespace botd::bearoff {

// A fast 64-bit sum. A change within one aligned group of eight bytes changes it for certain, since each step
// is one-to-one; any other change does all but certainly. No protection against people.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes);

// What the databases with this header must have as their checksum, since the rules of generation leave no
// choice; 0 if we do not know. Known are 6 points x 15 checkers one-sided and 6 x 6 two-sided in all layouts.
[[nodiscard]] std::uint64_t standard_checksum(std::string_view header);

// Throws DataError if the header is that of a standard database and the content is not.
void check_standard(const MappedFile& file, std::string_view header);

}  // namespace botd::bearoff
