#include "rollout/candidates.hpp"

#include <algorithm>
#include <cstddef>

#include "search/play_order.hpp"
#include "search/root_search.hpp"

namespace botd::rollout {
namespace {

constexpr double kNear = 0.15;  // of the best at 0-ply, to be searched
constexpr double kKept = 0.08;  // of the best, to be kept
constexpr std::size_t kMostKept = 5;
constexpr std::size_t kFewestKept = 2;

// How many plays, best first, are nearer to the best than this.
std::size_t near_the_best(std::span<const RankedBoard> plays, double within) {
  const double limit = plays.front().equity - within;
  const auto first_beyond = std::find_if(plays.begin(), plays.end(), [&](const auto& p) { return p.equity <= limit; });
  return static_cast<std::size_t>(first_beyond - plays.begin());
}

}  // namespace

std::vector<RankedBoard> candidates(std::span<const RankedBoard> ranked, const StaticSource& source,
                                    const MatchEquityTable& table, const CubeState& state, Selection selection,
                                    int threads, const Deadline& deadline) {
  std::vector<RankedBoard> plays(ranked.begin(), ranked.end());
  std::size_t open = plays.size();
  if (selection == Selection::kSearched) open = near_the_best(plays, kNear);
  const std::span<RankedBoard> searched = std::span(plays).first(open);
  if (selection == Selection::kSearched && open > 1) {
    WorkspacePool pool(source);
    std::vector<Board> roots;
    for (const RankedBoard& play : searched) roots.push_back(mirrored(play.board));
    const CubeState capped = capped_money_cube();
    const TreePlan plan({&capped, 1}, 2, true, table);
    const std::vector<NodeValue> values = search_roots(
        roots, source, plan, {.preselect = Preselect::kEverywhere}, threads,
        deadline, pool);
    const CubeValue cube(state, table);
    for (std::size_t i = 0; i < searched.size(); ++i) {
      RankedBoard& play = searched[i];
      const Board& board = play.board;
      Probabilities p = inverted(values[i].probabilities);
      if (source.exact(board)) p = inverted(source.exact_pre_roll(roots[i]));
      p = source.clamped(p, board);
      play.equity = cube.equity(cube.value(p, cube_efficiency(board), drop_costs(board, state.scoring)));
      play.cubeless_equity = cubeless_equity(p);
      play.probabilities = source.nested(p);
      play.ply = 1;
    }
    sort_best_first(searched);
  }
  const std::size_t kept = std::min(near_the_best(searched, kKept), kMostKept);
  plays.resize(std::min(std::max(kept, kFewestKept), plays.size()));
  return plays;
}

}  // namespace botd::rollout
