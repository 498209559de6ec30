// Errors added to a static evaluation, to make a weaker player.
#pragma once

#include <cstdint>

#include "gnubg/side.hpp"
#include "rules/probabilities.hpp"

namespace botd::gnubg {

// Where the errors come from. All three depend on the position alone, so that the order of evaluation does not
// matter.
struct NoiseSource {
  enum class Kind : std::uint8_t {
    kDigest,        // gnubg's deterministic noise: about normal, from the MD5 digest of the position
    kSignedDigest,  // the same with the digest's bytes as signed numbers, as the usual x86-64 packages of gnubg 1.07
                    // have it: seven standard deviations too low
    kSeeded,        // normal, another one for each seed
  };
  Kind kind = Kind::kDigest;
  std::uint64_t seed = 0;  // for kSeeded
};

// Adds noise to the five outcomes: `deviation` is that of the winning chance, the others get less. Results may lie
// outside [0, 1]. Formula: evaluator specification, 9.6.
void add_noise(const Position& position, double deviation, const NoiseSource& source, Probabilities& p);

}  // namespace botd::gnubg
