#include "search/root_search.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <stop_token>

#include "search/parallel.hpp"

namespace botd {
namespace {

// One thread's tree.
struct Worker {
  Worker(const StaticSource& source, const TreePlan& plan, const TreeOptions& options,
         const Deadline& limit, const std::stop_token& stop, WorkspacePool& pool)
      : lease(pool), deadline(limit, stop), tree(source, plan, options, deadline, *lease) {}

  WorkspacePool::Lease lease;
  Deadline deadline;
  Tree tree;
};

}  // namespace

std::vector<NodeValue> search_roots(std::span<const Board> roots, const StaticSource& source,
                                    const TreePlan& plan, const TreeOptions& options, int threads,
                                    const Deadline& deadline, WorkspacePool& pool) {
  // Calls task(tree, index) for every index.
  const auto for_each = [&](std::size_t count, const auto& task) {
    for_each_index(count, threads, [&](const std::stop_token& stop) {
      return [worker = std::make_unique<Worker>(source, plan, options, deadline, stop, pool),
              &task](std::size_t index) { task(worker->tree, index); };
    });
  };
  const std::size_t states = plan.level(0).states.size();
  std::vector<NodeValue> results(roots.size());
  for (NodeValue& result : results) result.values.resize(states);
  if (plan.depth() < 3) {
    for_each(roots.size(), [&](Tree& tree, std::size_t i) {
      results[i].probabilities = tree.run(roots[i], results[i].values);
    });
    return results;
  }

  std::vector<Tree::Expansion> expansions(roots.size());
  for_each(roots.size(), [&](Tree& tree, std::size_t i) { expansions[i] = tree.expand_root(roots[i]); });

  BoardIndex successors;
  for (Tree::Expansion& expansion : expansions) {
    for (std::size_t k = 0; k < expansion.count; ++k) {
      expansion.index[k] = successors.insert(expansion.boards[k]);
    }
  }
  const std::span<const Board> boards = successors.boards();
  const std::size_t width = plan.level(1).states.size();
  std::vector<double> values(boards.size() * width);
  std::vector<Probabilities> probabilities(boards.size());
  for_each(boards.size(), [&](Tree& tree, std::size_t i) {
    probabilities[i] = tree.run_successor(boards[i], std::span(values).subspan(i * width, width));
  });

  const WorkspacePool::Lease workspace(pool);
  Tree tree(source, plan, options, deadline, *workspace);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const Tree::Expansion& expansion = expansions[i];
    if (expansion.count == 0) {  // the game is over
      results[i].probabilities = tree.run(roots[i], results[i].values);
      continue;
    }
    Tree::RollValues by_roll;
    for (std::size_t r = 0; r < kRolls.size(); ++r) {
      const std::size_t at = expansion.index[expansion.of_roll[r]];
      by_roll[r] = {&values[at * width], &probabilities[at]};
    }
    results[i].probabilities = tree.fold(roots[i], 0, by_roll, results[i].values);
  }
  return results;
}

}  // namespace botd
