#include <array>
#include <bit>
#include <cstddef>

#include "fast/prune_hits.hpp"
#include "rules/board.hpp"

namespace botd::fast {
namespace {

constexpr std::size_t kDice = 6;

// A roll of `ways` of the 36 that hits these blots.
void add(PruneHits& hits, std::uint32_t hit, int ways) {
  const int any = hit != 0 ? ways : 0;
  hits.rolls += any;
  hits.pips += any * (kOwnBar - std::countr_zero(hit | (1U << kOwnBar)));
}

}  // namespace

PruneHitsFunction prune_hits_function(CpuPath path) {
  switch (path) {
#ifdef BOTD_X86
    case CpuPath::avx2:
      return prune_hits_avx2;
    case CpuPath::avx512:
      return prune_hits_avx512;
#endif
    default:
      return prune_hits_plain;
  }
}

PruneHits prune_hits_plain(std::uint32_t movers, std::uint32_t blots, std::uint32_t made) {
  PruneHits hits;
  const std::uint32_t open = ~made;
  std::array<std::uint32_t, kDice + 1> after{};
  for (std::size_t die = 1; die <= kDice; ++die) after[die] = (movers << die) & open;
  for (std::size_t die1 = 1; die1 <= kDice; ++die1) {
    for (std::size_t die2 = die1 + 1; die2 <= kDice; ++die2)
      add(hits, (after[die1] | after[die2] | (after[die1] << die2) | (after[die2] << die1)) & blots, 2);
    const std::uint32_t two = (after[die1] << die1) & open;
    const std::uint32_t three = (two << die1) & open;
    add(hits, (after[die1] | two | three | (three << die1)) & blots, 1);
  }
  return hits;
}

}  // namespace botd::fast
