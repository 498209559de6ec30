// Trees of one or several roots, spread over threads.
#pragma once

#include <span>
#include <vector>

#include "fast/cube_plan.hpp"
#include "fast/settings.hpp"
#include "fast/tree.hpp"
#include "fast/value_source.hpp"
#include "fast/workspace_pool.hpp"
#include "rules/board.hpp"
#include "rules/probabilities.hpp"
#include "search/deadline.hpp"

namespace botd::fast {

// What Tree::run gives for one root.
struct RootValue {
  std::vector<double> values;  // native, by root state
  Probabilities probabilities;
};

// Values every root's tree; no root is a leaf. From a depth of 2 on the boards that the roots' rolls lead to are
// searched, each different one once. Sums are formed in the same order for any number of threads, so that the
// numbers are the same. Throws DeadlineExceeded.
[[nodiscard]] std::vector<RootValue> search_roots(std::span<const Board> roots, const Question& question,
                                                  const CubePlan& plan, const ReplyPruning& pruning, int threads,
                                                  const Deadline& deadline, WorkspacePool& pool);

}  // namespace botd::fast
