#include "fast/cube_plan.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace botd::fast {

CubePlan::CubePlan(const ValueSource& source, std::span<const CubeState> root_states, int depth, bool root_expands)
    : beavers_(source.searches_beavers()) {
  assert(depth >= 1 && !root_states.empty());
  std::vector<CubeState> states(root_states.begin(), root_states.end());
  levels_.reserve(static_cast<std::size_t>(depth));
  for (int i = 0; i < depth; ++i) {
    Level& level = levels_.emplace_back();
    std::vector<CubeState> expanded;
    const auto place = [&expanded](CubeState state) {
      state = per_unit(state);
      const auto found = std::find(expanded.begin(), expanded.end(), state);
      if (found != expanded.end()) return static_cast<std::size_t>(found - expanded.begin());
      expanded.push_back(state);
      return expanded.size() - 1;
    };
    for (const CubeState& state : states) {
      Pair pair;
      pair.no_double = place(state);
      if ((root_expands || i > 0) && may_double(state)) pair.double_take = place(doubled(state));
      level.states.push_back(pair);
    }
    states.clear();
    for (const CubeState& state : expanded) {
      level.expanded.emplace_back(state, source.table());
      states.push_back(other_side(state));
    }
    level.actual = source.prepared({expanded.front()}, source.rates_with_double());
    level.leaves = source.prepared(std::move(expanded), true);
  }
}

void CubePlan::collapse(std::size_t level, std::span<const double> expanded, int pass_cost,
                        std::span<double> values) const {
  const Level& plan = levels_[level];
  for (std::size_t i = 0; i < plan.states.size(); ++i) {
    const Pair& pair = plan.states[i];
    const double no_double = expanded[pair.no_double];
    values[i] = no_double;
    if (pair.double_take == kNone) continue;
    const CubeValue& state = plan.expanded[pair.no_double];
    double take = expanded[pair.double_take];
    if (state.state().is_money()) {
      take *= 2.0;
      if (beavers_ && state.state().beavers && take < 0.0) take *= 2.0;
    }
    const double pass = state.double_pass(pass_cost);
    if (take >= no_double && pass >= no_double) values[i] = std::min(take, pass);
  }
}

}  // namespace botd::fast
