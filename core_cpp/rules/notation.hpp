// GNU Backgammon's move notation.
#pragma once

#include <span>
#include <string>

#include "rules/board.hpp"
#include "rules/moves.hpp"

namespace botd {

// A play of at most kMaxSteps `steps` from `board`, such as `8/5(2) 6/3*` or `bar/22`; empty without steps. Steps
// of one checker are joined, keeping a point between them only where a blot is hit; `*` marks a hit.
[[nodiscard]] std::string notation(const Board& board, std::span<const Step> steps);

}  // namespace botd
