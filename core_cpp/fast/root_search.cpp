#include "fast/root_search.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <stop_token>

#include "search/parallel.hpp"

namespace botd::fast {
namespace {

// One thread's tree.
struct Worker {
  Worker(const Question& question, const CubePlan& plan, const ReplyPruning& pruning, const Deadline& limit,
         WorkspacePool& pool, const std::stop_token& stop)
      : lease(pool, question), deadline(limit, stop), tree(pool.source(), plan, pruning, deadline, *lease) {}

  WorkspacePool::Lease lease;
  Deadline deadline;
  Tree tree;
};

}  // namespace

std::vector<RootValue> search_roots(std::span<const Board> roots, const Question& question, const CubePlan& plan,
                                    const ReplyPruning& pruning, int threads, const Deadline& deadline,
                                    WorkspacePool& pool) {
  // Calls task(tree, index) for every index.
  const auto for_each = [&](std::size_t count, const auto& task) {
    for_each_index(count, threads, [&](const std::stop_token& stop) {
      return [worker = std::make_unique<Worker>(question, plan, pruning, deadline, pool, stop),
              &task](std::size_t index) { task(worker->tree, index); };
    });
  };
  std::vector<RootValue> results(roots.size());
  for (RootValue& result : results) result.values.resize(plan.level(0).states.size());
  if (plan.depth() < 2) {
    for_each(roots.size(), [&](Tree& tree, std::size_t i) {
      results[i].probabilities = tree.run(roots[i], results[i].values);
    });
    return results;
  }

  std::vector<Tree::Expansion> expansions(roots.size());
  for_each(roots.size(), [&](Tree& tree, std::size_t i) { expansions[i] = tree.expand_root(roots[i]); });
  BoardIndex successors;
  for (Tree::Expansion& expansion : expansions) {
    for (std::size_t k = 0; k < expansion.count; ++k) expansion.index[k] = successors.insert(expansion.boards[k]);
  }
  const std::span<const Board> boards = successors.boards();
  const std::size_t width = plan.level(0).expanded.size();
  std::vector<double> values(boards.size() * width);
  std::vector<Probabilities> probabilities(boards.size());
  for_each(boards.size(), [&](Tree& tree, std::size_t i) {
    probabilities[i] = tree.run_branch(boards[i], 1, std::span(values).subspan(i * width, width));
  });

  const WorkspacePool::Lease workspace(pool, question);
  Tree tree(pool.source(), plan, pruning, deadline, *workspace);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const Tree::Expansion& expansion = expansions[i];
    std::array<Tree::Branch, kRolls.size()> branches;
    for (std::size_t k = 0; k < expansion.count; ++k) {
      const std::size_t at = expansion.index[k];
      branches[k] = {std::span(values).subspan(at * width, width), &probabilities[at], expansion.ways[k]};
    }
    results[i].probabilities =
        tree.fold(roots[i], 0, std::span(branches).first(expansion.count), results[i].values);
  }
  return results;
}

}  // namespace botd::fast
