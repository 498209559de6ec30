// The definitions of the hitting features, point by point; the engine computes them with words of bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "rules/board.hpp"

namespace botd::testing {

inline int at(const Board& b, int i) { return b[static_cast<std::size_t>(i)]; }
inline bool blocked(const Board& b, int i) { return i >= 1 && i <= kPoints && at(b, i) <= -2; }
inline bool blot(const Board& b, int i) { return i >= 1 && i <= kPoints && at(b, i) == -1; }

inline bool roll_hits(const Board& b, int x, int y) {
  for (int t = 1; t <= kPoints; ++t) {
    if (!blot(b, t)) continue;
    for (int s = t + 1; s <= kPoints; ++s) {
      if (at(b, s) <= 0) continue;
      const int d = s - t;
      if (x != y) {
        if (d == x || d == y) return true;
        if (d == x + y && (!blocked(b, t + x) || !blocked(b, t + y))) return true;
      } else if (d % x == 0 && d / x <= 4) {
        bool open = true;
        for (int n = 1; n < d / x; ++n) open = open && !blocked(b, t + n * x);
        if (open) return true;
      }
    }
  }
  return false;
}

inline int plain_hitting_rolls(const Board& b) {
  int rolls = 0;
  for (int x = 1; x <= 6; ++x)
    for (int y = 1; y <= 6; ++y) rolls += roll_hits(b, x, y) ? 1 : 0;
  return rolls;
}

inline int plain_double_hitting_rolls(const Board& b) {
  std::set<std::pair<int, int>> rolls;
  const auto add = [&](int x, int y) {
    rolls.insert({x, y});
    rolls.insert({y, x});
  };
  std::vector<int> targets;
  for (int t = 1; t <= kPoints; ++t)
    if (blot(b, t)) targets.push_back(t);
  const auto distances = [&](int t) {
    std::vector<int> out;
    for (int d = 1; t + d <= 25; ++d)
      if (at(b, t + d) > 0) out.push_back(d);
    return out;
  };
  for (const int t : targets) {
    for (const int u : targets) {
      if (u <= t) continue;
      for (const int d1 : distances(t)) {
        for (const int d2 : distances(u)) {
          if (d1 <= 6 && d2 <= 6 && (t + d1 != u + d2 || at(b, t + d1) > 1)) add(d1, d2);
          const int step = std::gcd(d1, d2);
          if (step > 6 || d1 / step + d2 / step > 4) continue;
          bool open = true;
          for (int m = 1; m < d1 / step; ++m) open = open && !blocked(b, t + step * m);
          for (int m = 1; m < d2 / step; ++m) open = open && !blocked(b, u + step * m);
          if (open) add(step, step);
        }
      }
    }
    for (const int d : distances(t)) {
      if (d > 6) continue;
      for (int other = 1; other <= 6; ++other)
        if (blot(b, t - other)) add(d, other);
      if (blocked(b, t - d)) continue;
      if (blot(b, t - 2 * d)) add(d, d);
      if (blocked(b, t - 2 * d)) continue;
      if (blot(b, t - 3 * d)) add(d, d);
    }
    for (int d = 1; d <= 6; ++d) {
      bool second = false;
      for (int m = 1; m <= 4 && t + m * d <= kPoints; ++m) {
        const int i = t + m * d;
        if (m <= 2 && blot(b, i)) second = true;
        if (m >= 2 && at(b, i) > 0 && second) add(d, d);
        if (m <= 3 && blocked(b, i)) break;
      }
    }
  }
  return static_cast<int>(rolls.size());
}

// The open points that a shot of `pips` needs, by roll: the way is open if all (or any) of them are.
struct PlainWay {
  int dice;
  int pips;
  bool any;
  std::vector<int> via;  // distances from the target
};

inline std::vector<PlainWay> ways_of_roll(int x, int y) {
  if (x != y) return {{1, std::min(x, y), false, {}}, {1, std::max(x, y), false, {}}, {2, x + y, true, {x, y}}};
  std::vector<PlainWay> ways;
  std::vector<int> via;
  for (int n = 1; n <= 4 && n * x <= kPoints; ++n) {
    ways.push_back({n, n * x, false, via});
    via.push_back(n * x);
  }
  return ways;
}

inline int plain_pips_hit(const Board& b) {
  int home_points = 0;
  for (int i = 1; i <= 6; ++i) home_points += at(b, i) > 0 ? 1 : 0;
  const auto shooters = [&](const PlainWay& way) {  // points from which the way hits something
    std::set<int> out;
    for (int t = home_points > 2 ? 1 : 3; t <= kPoints; ++t) {
      if (!blot(b, t)) continue;
      const int s = t + way.pips;
      if (s > 25 || at(b, s) <= 0 || (s <= 6 && at(b, s) == 2)) continue;
      const auto stopped = std::count_if(way.via.begin(), way.via.end(), [&](int d) { return blocked(b, t + d); });
      if (way.any ? stopped == 2 : stopped > 0) continue;
      out.insert(s);
    }
    return out;
  };
  int sum = 0;
  for (int x = 1; x <= 6; ++x) {
    for (int y = 1; y <= 6; ++y) {
      const std::vector<PlainWay> ways = ways_of_roll(x, y);
      int best = 0;
      bool entered = false;
      for (std::size_t i = 0; i < ways.size(); ++i) {
        const std::set<int> from = shooters(ways[i]);
        for (auto s = from.rbegin(); s != from.rend(); ++s) {
          if (at(b, kOwnBar) == 1 && *s != 25) {
            if (ways[i].dice > 1 || entered || blocked(b, 25 - ways[1 - i].pips)) break;
            entered = true;
          }
          if (at(b, kOwnBar) > 1 && (*s != 25 || ways[i].dice > 1)) break;
          best = std::max(best, *s - ways[i].pips);
        }
      }
      sum += best;
    }
  }
  return sum;
}

}  // namespace botd::testing
