#include "search/noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace botd {
namespace {

// One step of Vigna's splitmix64.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

// Above 0, at most 1.
double unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11U) + 1.0) * 0x1.0p-53; }

}  // namespace

Probabilities Noise::added_to(const Probabilities& p, const Board& board) const {
  if (deviation <= 0.0) return p;
  std::uint64_t state = mixed(seed);
  for (const std::int8_t checkers : board.points) {
    state = mixed(state ^ static_cast<std::uint8_t>(checkers));
  }
  const auto shaken = [&](float value, double share) {
    // Box and Muller's transformation.
    state = mixed(state);
    const double radius = std::sqrt(-2.0 * std::log(unit(state)));
    state = mixed(state);
    const double normal = radius * std::cos(2.0 * std::numbers::pi * unit(state));
    return static_cast<float>(std::clamp(value + deviation * share * normal, 0.0, 1.0));
  };
  Probabilities q;
  q.win = shaken(p.win, 1.0);
  q.win_gammon = shaken(p.win_gammon, 0.25);
  q.win_backgammon = shaken(p.win_backgammon, 0.01);
  q.lose_gammon = shaken(p.lose_gammon, 0.25);
  q.lose_backgammon = shaken(p.lose_backgammon, 0.01);
  return q;
}

}  // namespace botd
