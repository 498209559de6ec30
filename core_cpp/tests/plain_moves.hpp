// Legal plays by the words of the rules: every sequence of steps is played, and what is new is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "rules/moves.hpp"

namespace botd::testing {

inline std::vector<Play> plain_steps(const Play& before, int die) {
  const Board& board = before.board;
  int highest = 0;
  for (int i = 1; i <= kOwnBar; ++i)
    if (board[static_cast<std::size_t>(i)] > 0) highest = i;
  std::vector<Play> after;
  for (int from = highest == kOwnBar ? kOwnBar : 1; from <= highest; ++from) {
    if (board[static_cast<std::size_t>(from)] <= 0) continue;
    const int to = std::max(from - die, 0);
    if (to == 0 && (highest > 6 || (from < die && from < highest))) continue;
    if (to > 0 && board[static_cast<std::size_t>(to)] <= -2) continue;
    Play play = before;
    --play.board.at(static_cast<std::size_t>(from));
    if (to > 0) {
      std::int8_t& target = play.board.at(static_cast<std::size_t>(to));
      if (target < 0) {
        target = 0;
        ++play.board.at(kOpponentBar);
      }
      ++target;
    }
    play.steps[play.step_count++] = {static_cast<std::int8_t>(from), static_cast<std::int8_t>(to)};
    after.push_back(play);
  }
  return after;
}

// Appends the plays of all dice in this order.
inline void plain_sequences(const Play& before, const std::vector<int>& dice, std::vector<Play>& plays) {
  if (before.step_count == dice.size()) {
    plays.push_back(before);
    return;
  }
  for (const Play& next : plain_steps(before, dice[before.step_count])) plain_sequences(next, dice, plays);
}

inline std::vector<Play> plain_legal_plays(const Board& board, int die1, int die2) {
  std::vector<std::vector<std::vector<int>>> choices;  // the first that can be played counts
  if (die1 == die2) {
    for (std::size_t n = kMaxSteps; n > 0; --n) choices.push_back({std::vector<int>(n, die1)});
  } else {
    choices = {{{die1, die2}, {die2, die1}}, {{std::max(die1, die2)}}, {{std::min(die1, die2)}}};
  }
  Play start;
  start.board = board;
  std::vector<Play> distinct;
  for (const auto& orders : choices) {
    std::vector<Play> plays;
    for (const auto& dice : orders) plain_sequences(start, dice, plays);
    std::set<Board> seen;
    for (const Play& play : plays)
      if (seen.insert(play.board).second) distinct.push_back(play);
    if (!distinct.empty()) break;
  }
  return distinct;
}

}  // namespace botd::testing
