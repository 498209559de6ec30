// What the side can hit with its next roll.
#pragma once

#include "gnubg/profile.hpp"
#include "gnubg/side.hpp"

namespace botd::gnubg {

// Sums over the 36 rolls.
struct HittingRolls {
  int pips = 0;  // the most that the roll's hits cost the opponent
  int one = 0;   // rolls that hit
  int two = 0;   // rolls that hit with two checkers, or twice
};

// Blots on the two points farthest from home are counted as targets only before a home board with three
// points: held by one checker each in profile A, made in profile B.
[[nodiscard]] HittingRolls hitting_rolls(const Side& me, const Side& opponent, Profile profile);

}  // namespace botd::gnubg
