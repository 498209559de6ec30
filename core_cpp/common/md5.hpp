// The MD5 digest (RFC 1321); here a source of repeatable numbers, not of security.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace botd {

using Md5Digest = std::array<std::uint8_t, 16>;

[[nodiscard]] Md5Digest md5(std::span<const std::uint8_t> message);

}  // namespace botd
