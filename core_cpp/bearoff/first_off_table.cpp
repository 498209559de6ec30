#include "bearoff/first_off_table.hpp"

#include "bearoff/index.hpp"
#include "bearoff/one_sided_solver.hpp"

namespace botd::bearoff {
namespace {

constexpr int kHomePoints = 6;

std::uint32_t first_full() { return position_count(kHomePoints, kCheckers - 1); }

}  // namespace

FirstOffTable::FirstOffTable() {
  const OneSidedSolution solution(kHomePoints, kCheckers, true, {});
  values_.reserve(solution.positions() - first_full());
  for (std::uint32_t index = first_full(); index < solution.positions(); ++index)
    values_.push_back(solution.first_off(index));
}

const Distribution& FirstOffTable::at(std::uint32_t index) const { return values_[index - first_full()]; }

}  // namespace botd::bearoff
