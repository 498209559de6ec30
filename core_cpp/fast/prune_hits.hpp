// Which rolls of the opponent hit. One function per processor kind, all exact; see prune_kernels.hpp for the rules
// of such files.
#pragma once

#include <cstdint>

#include "common/cpu_path.hpp"

namespace botd::fast {

// Of the 36 rolls: how many hit a blot, and the pips lost to the rearmost blot that each hits, added up.
struct PruneHits {
  std::int32_t rolls = 0;
  std::int32_t pips = 0;
};

// Bits are places as in Board. `movers` of the opponent go up, from bit 0, his bar; `made` are points closed to them.
// `blots` are none of these. A hit is one checker's, with one die or all of the roll, by way of open points.
using PruneHitsFunction = PruneHits (*)(std::uint32_t movers, std::uint32_t blots, std::uint32_t made);

// `path` must be one of available_cpu_paths().
[[nodiscard]] PruneHitsFunction prune_hits_function(CpuPath path);

PruneHits prune_hits_plain(std::uint32_t movers, std::uint32_t blots, std::uint32_t made);
#ifdef BOTD_X86
PruneHits prune_hits_avx2(std::uint32_t movers, std::uint32_t blots, std::uint32_t made);
PruneHits prune_hits_avx512(std::uint32_t movers, std::uint32_t blots, std::uint32_t made);
#endif

}  // namespace botd::fast
