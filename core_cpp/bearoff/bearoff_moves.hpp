// Plays of a side whose opponent is out of the way, in GNU Backgammon's order.
#pragma once

#include <algorithm>
#include <utility>

#include "bearoff/index.hpp"

namespace botd::bearoff {

// Highest occupied point (1-based), 0 if all checkers are off.
[[nodiscard]] inline int highest_point(const Counts& counts, int points) {
  int highest = points;
  while (highest > 0 && counts[static_cast<std::size_t>(highest - 1)] == 0) --highest;
  return highest;
}

namespace detail {

template <class Visit>
void play_dice(Counts& counts, int highest, const int* dice, int left, int start, bool is_double,
               Visit& visit) {
  while (highest > 0 && counts[static_cast<std::size_t>(highest - 1)] == 0) --highest;
  if (left == 0 || highest == 0) {
    visit(std::as_const(counts));
    return;
  }
  const int die = *dice;
  for (int from = std::min(start, highest); from >= 1; --from) {
    auto& source = counts[static_cast<std::size_t>(from - 1)];
    if (source == 0) continue;
    const int to = from - die;
    if (to <= 0 && (highest > 6 || (to < 0 && from != highest))) continue;
    --source;
    if (to > 0) ++counts[static_cast<std::size_t>(to - 1)];
    play_dice(counts, highest, dice + 1, left - 1, is_double ? from : kMaxPoints, is_double, visit);
    if (to > 0) --counts[static_cast<std::size_t>(to - 1)];
    ++source;
  }
}

}  // namespace detail

// Calls visit(counts) for the result of every way to play the roll: sources from the highest point down, and
// for a mixed roll all plays of die1 first before those of die2 first. A result may come more than once;
// which one comes first matters where results are equally good. Nothing can block, so all dice are played
// until no checker is left.
template <class Visit>
void for_each_play(Counts counts, int points, int die1, int die2, Visit&& visit) {
  const int highest = highest_point(counts, points);
  if (die1 == die2) {
    const int dice[] = {die1, die1, die1, die1};
    detail::play_dice(counts, highest, dice, 4, kMaxPoints, true, visit);
    return;
  }
  const int first[] = {die1, die2};
  const int second[] = {die2, die1};
  detail::play_dice(counts, highest, first, 2, kMaxPoints, false, visit);
  detail::play_dice(counts, highest, second, 2, kMaxPoints, false, visit);
}

}  // namespace botd::bearoff
