// What is lost beyond doubt.
#pragma once

#include "rules/board.hpp"
#include "rules/scoring.hpp"
#include "search/static_source.hpp"

namespace botd {

// Facts about the side on roll, each proved; nothing is claimed where there is still contact.
struct LossBounds {
  bool lost = false;
  bool gammon_certain = false;
  bool gammon_possible = true;
  bool backgammon_certain = false;
  bool backgammon_possible = true;
};

// Two kinds of proof: counting (the fewest rolls one side can need against the most the other can), and the
// exact table of bear-off positions, where "certain" is a chance of at least 0.999. A side with checkers
// outside its home board is looked up as if they stood on its 6 point already, which can only help it. Where the
// scoring says so, a backgammon can be lost by a side that has borne off checkers.
[[nodiscard]] LossBounds loss_bounds(const Board& board, const StaticSource& source, Scoring scoring);

// By counting alone.
[[nodiscard]] LossBounds loss_bounds(const Board& board, Scoring scoring);

}  // namespace botd
