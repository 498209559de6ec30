// Which play stands above which.
#pragma once

#include <cstddef>
#include <vector>

#include "gnubg/search.hpp"
#include "search/move_filter.hpp"

namespace botd::gnubg {

// Leaves of `places` those plays that pass a filter's stage, best first.
void keep_best(const std::vector<RankedPlay>& plays, const FilterStage& stage,
               std::vector<std::size_t>& places);

// Best first as gnubg shows them: deeper evaluated plays, then those that end the game, then by equity; equal
// ones by cubeless equity, then fewer checkers left, then the rearmost checker, then the order of generation.
void sort_for_display(std::vector<RankedPlay>& plays);

}  // namespace botd::gnubg
