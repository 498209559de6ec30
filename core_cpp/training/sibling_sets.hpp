// Teacher data: what an evaluator says of all plays of a roll, on positions of games that it plays against itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rules/board.hpp"
#include "search/static_source.hpp"

namespace botd::training {

// Siblings are the boards that the plays of one roll lead to, seen by the side that has moved. Sets follow each
// other in `boards`; each has at least two.
struct SiblingSets {
  // One entry a set.
  std::vector<Board> unmoved;         // the position that was rolled in
  std::vector<std::uint8_t> network;  // of that position
  std::vector<std::uint16_t> size;    // boards in the set
  // One entry a board; equities in points of money play.
  std::vector<Board> boards;
  std::vector<float> cubeless;
  std::vector<float> cubeful;  // with a cube that nobody has turned yet
};

// At least `sets` sets of at least two plays. Mostly the best play is made; now and then one that is a little or a
// lot worse, so that positions which good players avoid occur too. The same seed and values give the same sets
// everywhere; values may differ in the last digits from one CPU path to another.
[[nodiscard]] SiblingSets self_played_sets(const StaticSource& source, std::uint64_t seed, std::size_t sets);

}  // namespace botd::training
