// The SHA-256 digest (FIPS 180-4).
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace botd {

using Sha256Digest = std::array<std::uint8_t, 32>;

[[nodiscard]] Sha256Digest sha256(std::span<const std::uint8_t> message);

}  // namespace botd
