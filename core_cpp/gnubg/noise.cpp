#include "gnubg/noise.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "common/md5.hpp"

namespace botd::gnubg {
namespace {

// Index by index, the side not on roll before the side on roll.
using PositionBytes = std::array<std::uint8_t, 50>;

PositionBytes bytes_of(const Position& position) {
  PositionBytes bytes{};
  for (std::size_t i = 0; i < 25; ++i) {
    bytes[2 * i] = position.other.count[i];
    bytes[2 * i + 1] = position.roller.count[i];
  }
  return bytes;
}

// The sum of sixteen even bytes, brought to mean 0 and deviation 1.
double from_digest(PositionBytes bytes, std::uint8_t output, bool bytes_are_signed) {
  bytes[0] = static_cast<std::uint8_t>(bytes[0] + output);
  int sum = 0;
  for (const std::uint8_t byte : md5(bytes)) sum += bytes_are_signed ? std::bit_cast<std::int8_t>(byte) : byte;
  return (sum - 2040) / 295.6;
}

// SplitMix64, a mixing function of Sebastiano Vigna and others in the public domain.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// In (0, 1).
double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1.0p-53; }

// Box and Muller's transformation of two uniform numbers.
double from_seed(const PositionBytes& bytes, std::uint64_t output, std::uint64_t seed) {
  std::uint64_t state = mixed(seed ^ mixed(output));
  for (const std::uint8_t byte : bytes) state = mixed(state ^ byte);
  const double u = uniform(state);
  const double v = uniform(mixed(state));
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace

void add_noise(const Position& position, double deviation, const NoiseSource& source, Probabilities& p) {
  constexpr std::array<double, 5> kShares = {1.0, 0.25, 0.01, 0.25, 0.01};
  const PositionBytes bytes = bytes_of(position);
  std::uint8_t output = 0;
  for (float* value : {&p.win, &p.win_gammon, &p.win_backgammon, &p.lose_gammon, &p.lose_backgammon}) {
    const double normal = source.kind == NoiseSource::Kind::kSeeded
                              ? from_seed(bytes, output, source.seed)
                              : from_digest(bytes, output, source.kind == NoiseSource::Kind::kSignedDigest);
    *value = static_cast<float>(static_cast<double>(*value) + deviation * kShares[output] * normal);
    ++output;
  }
}

}  // namespace botd::gnubg
