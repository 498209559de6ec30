// Which plays are better, and which a filter lets through.
#pragma once

#include <cstddef>
#include <span>

#include "search/decisions.hpp"
#include "search/move_filter.hpp"

namespace botd {

// Equities within 1e-6 of the best of the rest count as equal; then cubeless equity and the board decide.
void sort_best_first(std::span<RankedBoard> plays);

// How many plays, sorted best first, a stage of a filter keeps; at least one.
[[nodiscard]] std::size_t kept(const FilterStage& stage, std::span<const RankedBoard> plays);

}  // namespace botd
