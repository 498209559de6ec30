// Deliberate errors of evaluation, for weaker play.
#pragma once

#include <cstdint>

#include "rules/board.hpp"
#include "rules/probabilities.hpp"

namespace botd {

// Normal noise on the five outcomes of a static value. It is drawn from the board and the seed, so that the same
// question has the same answer in every thread and process.
struct Noise {
  double deviation = 0.0;  // standard deviation of the winning chance's error
  std::uint64_t seed = 0;

  // `p` with an error of `deviation` on the winning chance, a quarter of it on gammons and a hundredth on
  // backgammons (gnubg's proportions), each kept within 0 and 1.
  [[nodiscard]] Probabilities added_to(const Probabilities& p, const Board& board) const;
};

}  // namespace botd
