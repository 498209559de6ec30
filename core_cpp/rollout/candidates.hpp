// Which plays of a roll are worth a rollout.
#pragma once

#include <span>
#include <vector>

#include "cube/cube_state.hpp"
#include "cube/match_equity.hpp"
#include "search/deadline.hpp"
#include "search/decisions.hpp"
#include "search/static_source.hpp"
#include "search/workspace_pool.hpp"

namespace botd::rollout {

enum class Selection {
  kStatic,    // by 0-ply equity
  kSearched,  // by the equity that 1-ply cubeless chances mean, among those near the best at 0-ply
};

// At most five plays near the best, best first, but two wherever there are two. `ranked`: all plays of the roll at
// 0-ply, best first, none of which was left out. Throws DeadlineExceeded.
[[nodiscard]] std::vector<RankedBoard> candidates(std::span<const RankedBoard> ranked, const StaticSource& source,
                                                  const MatchEquityTable& table, const CubeState& state,
                                                  Selection selection, int threads, const Deadline& deadline);

}  // namespace botd::rollout
