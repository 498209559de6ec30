// The definition of gnubg's hitting features, way by way and blot by blot; the engine computes them with words of
// bits.
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "gnubg/hitting.hpp"

namespace botd::testing {

namespace plain {

enum class Kind { kDirect, kCombination, kDoublet };

// A manner of playing dice with one checker.
struct Way {
  Kind kind;
  int distance;
  std::vector<int> stops;  // pips after which the checker touches down
};

struct RollWays {
  int weight;
  std::vector<Way> ways;
};

inline std::vector<RollWays> all_rolls() {
  std::vector<RollWays> rolls;
  for (int x = 1; x <= 6; ++x) {
    RollWays pair{1, {{Kind::kDirect, x, {}}}};
    for (int n = 2; n <= 4; ++n) {
      Way way{Kind::kDoublet, n * x, {}};
      for (int step = 1; step < n; ++step) way.stops.push_back(step * x);
      pair.ways.push_back(way);
    }
    rolls.push_back(pair);
    for (int y = x + 1; y <= 6; ++y)
      rolls.push_back(
          {2, {{Kind::kDirect, x, {}}, {Kind::kDirect, y, {}}, {Kind::kCombination, x + y, {x, y}}}});
  }
  return rolls;
}

using Hitters = std::set<int, std::greater<>>;

inline Hitters hitters_of(const Way& way, const gnubg::Side& me, const gnubg::Side& q, int last_target) {
  Hitters hitters;
  for (int i = 0; i <= last_target; ++i) {
    if (q[i] != 1) continue;
    for (int j = 24 - i; j <= 24; ++j) {
      if (me[j] == 0 || (j <= 5 && me[j] == 2) || j - 23 + i != way.distance) continue;
      bool possible = true;
      if (way.kind == Kind::kDoublet)
        for (const int s : way.stops) possible = possible && q[i - s] <= 1;
      if (way.kind == Kind::kCombination) possible = !(q[i - way.stops[0]] >= 2 && q[i - way.stops[1]] >= 2);
      if (possible) hitters.insert(j);
    }
  }
  return hitters;
}

struct Result {
  int count = 0;
  int pips = 0;
};

inline Result no_bar(const RollWays& roll, const std::vector<Hitters>& hitters, const gnubg::Side& me,
                     const gnubg::Side& q) {
  Result result;
  int last = -1;
  for (std::size_t w = 0; w < roll.ways.size(); ++w) {
    if (hitters[w].empty()) continue;
    const Way& way = roll.ways[w];
    const int k = *hitters[w].begin();
    result.pips = std::max(result.pips, k - way.distance + 1);
    if (way.kind == Kind::kDirect) {
      if (k != last || me[k] >= 2) ++result.count;
      last = k;
      if (roll.weight == 1 && hitters[w].size() > 1) ++result.count;
      continue;
    }
    if (result.count == 0) result.count = 1;
    for (const int s : way.stops) {
      if (q[23 - k + s] != 1) continue;
      ++result.count;
      break;
    }
  }
  return result;
}

inline Result one_on_bar(const RollWays& roll, const std::vector<Hitters>& hitters, const gnubg::Side& q) {
  Result result;
  bool used_to_enter = false;
  for (std::size_t w = 0; w < roll.ways.size(); ++w) {
    if (hitters[w].empty()) continue;
    const Way& way = roll.ways[w];
    if (way.kind == Kind::kDirect) {
      for (const int k : hitters[w]) {
        if (used_to_enter && k != 24) break;
        if (k != 24) {
          if (q[roll.ways[1 - w].distance - 1] >= 2) break;
          used_to_enter = true;
        }
        ++result.count;
        result.pips = std::max(result.pips, k - way.distance + 1);
      }
    } else if (hitters[w].contains(24)) {
      if (result.count == 0) result.count = 1;
      result.pips = std::max(result.pips, 25 - way.distance);
      for (const int s : way.stops) {
        if (q[s + 1] != 1) continue;
        ++result.count;
        break;
      }
    }
  }
  return result;
}

inline Result several_on_bar(const RollWays& roll, const std::vector<Hitters>& hitters) {
  Result result;
  for (std::size_t w = 0; w < 2; ++w) {
    if (roll.ways[w].kind != Kind::kDirect || !hitters[w].contains(24)) continue;
    ++result.count;
    result.pips = std::max(result.pips, 25 - roll.ways[w].distance);
  }
  return result;
}

}  // namespace plain

inline gnubg::HittingRolls plain_hitting_rolls(const gnubg::Side& me, const gnubg::Side& q, gnubg::Profile profile) {
  static const std::vector<plain::RollWays> rolls = plain::all_rolls();
  int held = 0;
  for (int i = 0; i < 6; ++i) held += me[i] >= (profile == gnubg::Profile::kA ? 1 : 2) ? 1 : 0;
  const int last_target = held >= 3 ? 23 : 21;
  gnubg::HittingRolls sums;
  for (const plain::RollWays& roll : rolls) {
    std::vector<plain::Hitters> hitters;
    for (const plain::Way& way : roll.ways) hitters.push_back(plain::hitters_of(way, me, q, last_target));
    const plain::Result result = me.bar() == 0   ? plain::no_bar(roll, hitters, me, q)
                                 : me.bar() == 1 ? plain::one_on_bar(roll, hitters, q)
                                                 : plain::several_on_bar(roll, hitters);
    sums.pips += roll.weight * result.pips;
    sums.one += result.count >= 1 ? roll.weight : 0;
    sums.two += result.count >= 2 ? roll.weight : 0;
  }
  return sums;
}

}  // namespace botd::testing
