// How a search is done.
#pragma once

#include "search/move_filter.hpp"
#include "search/noise.hpp"

namespace botd {

// Plies count as gnubg does: 0 is the static evaluation.
inline constexpr int kMaxPly = 4;
inline constexpr int kMaxThreads = 256;

struct SearchSettings {
  // By default an exact search: every play to the full depth, no noise, the caller's thread alone.
  SearchSettings(int depth) : ply(depth) {}  // NOLINT(google-explicit-constructor): a depth says it all

  int ply;
  MoveFilter filter;  // which plays of a roll go on to deeper plies
  Noise noise;        // on static values: at 0-ply, and where a filter scores plays at 0-ply
  int threads = 1;    // results do not depend on it
};

}  // namespace botd
