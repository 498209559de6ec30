// How a fast search is done.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "search/move_filter.hpp"
#include "search/settings.hpp"

namespace botd::fast {

// Which results of a roll inside a tree are valued by the evaluator, after all were ordered by its cheap one: those
// whose rough value is not below the best one's less `margin`, but `least` of them at least and `most` at most.
struct ReplyPruning {
  int least = 2;
  int most = 7;
  double margin = 0.09;  // points of cubeless equity

  // Nothing is left out.
  [[nodiscard]] static constexpr ReplyPruning none() { return {kAll, kAll, 0.0}; }
  [[nodiscard]] constexpr bool prunes() const { return least < kAll; }
  // Little is left out.
  [[nodiscard]] constexpr ReplyPruning wider() const {
    return prunes() ? ReplyPruning{least + 2, std::min(3 * most, kAll), 2.5 * margin} : *this;
  }

  static constexpr int kAll = 1 << 20;

  friend constexpr bool operator==(const ReplyPruning&, const ReplyPruning&) = default;
};

// Which plays of the root go on to the next ply, after they were ordered at the one before: the best and, of the others,
// the r-th (r = 1 is the second best) if it is not worse than the best by more than threshold / sqrt(r). Far down the
// list a play has to be close to be worth a look.
struct Narrowing {
  int most = 1;
  double threshold = 0.0;  // points per unit of the cube

  friend constexpr bool operator==(const Narrowing&, const Narrowing&) = default;
};

struct Settings {
  std::array<Narrowing, kMaxPly> narrowing = {{{30, 0.80}, {16, 0.20}, {6, 0.12}, {4, 0.08}}};  // after 0, 1, ... plies
  std::optional<MoveFilter> filter;  // instead of it
  ReplyPruning pruning;
  // Plays (and answers to the cube) whose equities are closer than this to the best one's are valued again with
  // wider() pruning; points per unit of the cube.
  double recheck = 0.015;
  std::size_t cache_bytes = kDefaultCacheBytes;  // of static values, for each thread
  int threads = 1;                               // results do not depend on it

  static constexpr std::size_t kDefaultCacheBytes = 4U << 20;
  static constexpr std::size_t kMaxCacheBytes = std::size_t{1} << 32;
};

// Throws std::invalid_argument naming the setting that cannot be.
void check_settings(const Settings& settings);

}  // namespace botd::fast
