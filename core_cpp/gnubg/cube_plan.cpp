#include "gnubg/cube_plan.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace botd::gnubg {
namespace {

// Money equities are per unit of the cube, so its height does not matter as long as it can be turned freely.
CubeState normalised(CubeState state, int depth) {
  const bool free = state.max_value == 0 && state.value < (kMaxCube >> (depth + 1));
  if (state.is_money() && free) state.value = 1;
  return state;
}

}  // namespace

CubePlan::CubePlan(std::span<const CubeState> root_states, int depth, bool root_expands,
                   const MatchEquityTable& table) {
  assert(depth >= 0 && !root_states.empty());
  std::vector<CubeState> states(root_states.begin(), root_states.end());
  for (int i = 0; i <= depth; ++i) {
    Level& level = levels_.emplace_back();
    std::vector<CubeState> expanded;
    const auto place = [&](const CubeState& state) {
      const CubeState wanted = normalised(state, depth);
      const auto found = std::find(expanded.begin(), expanded.end(), wanted);
      if (found == expanded.end()) {
        expanded.push_back(wanted);
        return expanded.size() - 1;
      }
      return static_cast<std::size_t>(found - expanded.begin());
    };
    for (const CubeState& state : states) {
      Pair& pair = level.states.emplace_back();
      pair.no_double = place(state);
      if ((root_expands || i > 0) && may_double(state)) pair.double_take = place(doubled(state));
    }
    if (expanded.size() > kMaxStates) throw std::length_error("more cube states than a search can carry");
    states.clear();
    for (const CubeState& state : expanded) {
      level.expanded.emplace_back(state, table);
      states.push_back(other_side(state));
    }
  }
}

void collapse(const CubePlan::Level& level, const CubePlan::Values& expanded, int pass_cost,
              CubePlan::Values& values) {
  for (std::size_t i = 0; i < level.states.size(); ++i) {
    const CubePlan::Pair& pair = level.states[i];
    const double no_double = expanded[pair.no_double];
    values[i] =
        pair.double_take == CubePlan::Pair::kNone
            ? no_double
            : collapsed(level.expanded[pair.no_double], no_double, expanded[pair.double_take], pass_cost);
  }
}

}  // namespace botd::gnubg
