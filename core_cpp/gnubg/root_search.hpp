// Values of root positions, computed by one thread or several.
#pragma once

#include <span>

#include "gnubg/cube_plan.hpp"
#include "gnubg/node_search.hpp"
#include "gnubg/workspace_pool.hpp"
#include "rules/board.hpp"
#include "rules/probabilities.hpp"
#include "search/deadline.hpp"

namespace botd::gnubg {

// A position at level 0 of a plan.
struct Root {
  Board on_roll;
  Probabilities probabilities;
  CubePlan::Values values{};  // native, of the plan's root states
};

// Fills in the values of `roots`, `plies` deep. Several threads share out the positions one roll further on;
// the numbers do not depend on how many there are. Throws DeadlineExceeded.
void evaluate_roots(std::span<Root> roots, int plies, const CubePlan& plan, const SearchRules& rules,
                    int threads, const Deadline& deadline, WorkspacePool& pool);

}  // namespace botd::gnubg
