#include "gnubg/root_search.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace botd::gnubg {
namespace {

// A root's part of the work after its first roll.
struct Branch {
  std::size_t root = 0;
  Successor successor;
  Probabilities probabilities;
  CubePlan::Values values{};
};

class Team {
 public:
  Team(const CubePlan& plan, const SearchRules& rules, int threads, const Deadline& deadline,
       WorkspacePool& pool)
      : plan_(plan), rules_(rules), threads_(threads), deadline_(deadline), pool_(pool) {}

  // work(search, i) for every i below `count`; what a thread throws is thrown here, once all have stopped.
  template <typename Work>
  void share_out(std::size_t count, const Work& work) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    std::mutex failure_mutex;
    const auto take_part = [&] {
      try {
        const WorkspacePool::Lease workspace(pool_);
        NodeSearch search(pool_.source(), plan_, rules_, deadline_, *workspace);
        for (std::size_t i = next++; i < count; i = next++) work(search, i);
      } catch (...) {
        next = count;
        const std::scoped_lock lock(failure_mutex);
        if (!failure) failure = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> helpers;
      const std::size_t wanted = std::min(static_cast<std::size_t>(threads_), count);
      for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(take_part);
      take_part();
    }
    if (failure) std::rethrow_exception(failure);
  }

 private:
  const CubePlan& plan_;
  const SearchRules& rules_;
  int threads_;
  const Deadline& deadline_;
  WorkspacePool& pool_;
};

}  // namespace

void evaluate_roots(std::span<Root> roots, int plies, const CubePlan& plan, const SearchRules& rules,
                    int threads, const Deadline& deadline, WorkspacePool& pool) {
  Team team(plan, rules, plies == 0 ? 1 : threads, deadline, pool);
  if (plies <= 1 || threads == 1) {
    team.share_out(roots.size(), [&](NodeSearch& search, std::size_t i) {
      roots[i].probabilities = search.evaluate(roots[i].on_roll, 0, plies, roots[i].values);
    });
    return;
  }
  std::vector<std::vector<Successor>> successors(roots.size());
  team.share_out(roots.size(), [&](NodeSearch& search, std::size_t i) {
    Root& root = roots[i];
    if (search.is_leaf(root.on_roll)) {
      root.probabilities = search.evaluate(root.on_roll, 0, 0, root.values);
    } else {
      search.successors(root.on_roll, 0, successors[i]);
    }
  });
  std::vector<Branch> branches;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    for (const Successor& successor : successors[i]) branches.push_back({i, successor, {}, {}});
  }
  team.share_out(branches.size(), [&](NodeSearch& search, std::size_t i) {
    Branch& branch = branches[i];
    branch.probabilities = search.evaluate(branch.successor.board, 1, plies - 1, branch.values);
  });
  for (std::size_t i = 0, b = 0; i < roots.size(); ++i) {
    if (successors[i].empty()) continue;
    NodeAverage average(plan.level(0));
    for (; b < branches.size() && branches[b].root == i; ++b) {
      average.add(branches[b].successor.ways, branches[b].probabilities, branches[b].values);
    }
    roots[i].probabilities =
        average.finish(drop_costs(roots[i].on_roll, rules.scoring).opponent, roots[i].values);
  }
}

}  // namespace botd::gnubg
