// The hand-made inputs of the contact and crashed networks, 25 for each side.
#pragma once

#include <array>

#include "gnubg/position_class.hpp"
#include "gnubg/profile.hpp"
#include "gnubg/side.hpp"

namespace botd::gnubg {

// In the order of the inputs. "rear" is the opponent's rearmost checker.
enum Feature : int {
  kOffA,              // checkers off in three steps: the side's own in the crashed network,
  kOffB,              //   the opponent's in the contact network
  kOffC,
  kContactPips,       // pips that the side's checkers need to get past the rear checker
  kRearPosition,      // where the side's own rearmost checker is
  kRearAnchor,        // its rearmost made point
  kFrontAnchor,       // its foremost anchor in the opponent's home, else outfield
  kHitPips,           // what its next roll hits
  kHitOne,
  kHitTwo,
  kRearEscape,        // rolls with which the rear checker escapes
  kHoldToRear,        // how well the best block between rear checker and home holds
  kHoldToRearSquared,
  kHoldHomeSide,      // the same over the whole home side
  kHoldHomeSideSquared,
  kOutfieldMobility,  // rolls that move its outside checkers, weighted by distance
  kRearSpread,        // spread of the checkers behind the mean
  kEntryLoss,         // pips lost when entering from the bar
  kEntryBlock,        // how near the opponent's home board is to closed
  kSparePips,         // pips to play before points break
  kPointChain,        // how close together its points are
  kTwoRearPoints,     // checkers back, with two anchors or more
  kOneRearPoint,      // checkers back, with one
  kFreePips,          // pips of its checkers that are past the rear checker
  kRearEscapePast,    // rolls with which the rear checker gets beyond the first blocked point
  kFeatures
};

using Features = std::array<float, kFeatures>;

// Features of `me`. `position_class` is kContact or kCrashed; both sides have checkers.
[[nodiscard]] Features features(const Side& me, const Side& opponent, PositionClass position_class,
                                Profile profile);

}  // namespace botd::gnubg
