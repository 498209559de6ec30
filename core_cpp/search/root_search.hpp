// Trees of one or several roots, spread over threads.
#pragma once

#include <span>
#include <vector>

#include "search/deadline.hpp"
#include "search/static_source.hpp"
#include "search/tree.hpp"
#include "search/workspace_pool.hpp"

namespace botd {

// What Tree::run gives for one root.
struct NodeValue {
  std::vector<double> values;  // native, by root state
  Probabilities probabilities;
};

// Values every root's tree. From a depth of 3 on, the roots' successors are searched instead of the roots, each
// different one once, which keeps all threads busy to the end even for a single root. Sums are formed in the
// order of the rolls, so that the numbers are the same for any number of threads.
//
// Throws DeadlineExceeded.
[[nodiscard]] std::vector<NodeValue> search_roots(std::span<const Board> roots, const StaticSource& source,
                                                  const TreePlan& plan, const TreeOptions& options,
                                                  int threads, const Deadline& deadline, WorkspacePool& pool);

}  // namespace botd
