// The sums of the rough network's output, from whole numbers: every path gives the same, bit for bit. As with the other
// kernels, the files *_avx2.cpp and *_avx512.cpp share no inline code with others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/cpu_path.hpp"

namespace botd::fast {

// Hidden units are padded to a multiple of this, with weights of zero.
inline constexpr int kPruneTile = 32;
inline constexpr int kPrunePlaces = 26;
// What Board can have in one place: -15 to 15.
inline constexpr int kPruneContents = 31;
inline constexpr int kPruneZeroContent = 15;

// Rows of `stride` numbers, each on a 64-byte boundary.
struct PruneLayout {
  const std::int16_t* places = nullptr;    // [place][content + 15]: what that content adds to the hidden units
  const std::int16_t* features = nullptr;  // [row of PruneRows]: what that value of a feature adds
  const std::int16_t* output = nullptr;    // one row
  int stride = 0;
};

// Numbers by which kernels find the features of a board.
inline constexpr int kPruneRowsOfBoard = 5;

// A board and the sums of its hidden units, but for its features.
struct PruneBase {
  const std::int8_t* board = nullptr;  // 26 numbers
  const std::int16_t* hidden = nullptr;
};

// sums[i] = the output weights times the positive ones of the hidden units of board i. Boards are `count` times 26
// numbers, with as many opposing checkers borne off as the base, their features `count` times 5 rows. 16-bit sums may
// wrap on their way, not in the end.
using PruneSumsFunction = void (*)(const PruneLayout& layout, const PruneBase& base, const std::int8_t* boards,
                                   const std::uint8_t* features, std::size_t count, std::int32_t* sums);

// `path` must be one of available_cpu_paths().
[[nodiscard]] PruneSumsFunction prune_sums_function(CpuPath path);

void prune_sums_plain(const PruneLayout&, const PruneBase&, const std::int8_t*, const std::uint8_t*, std::size_t,
                      std::int32_t*);
#ifdef BOTD_X86
void prune_sums_avx2(const PruneLayout&, const PruneBase&, const std::int8_t*, const std::uint8_t*, std::size_t,
                      std::int32_t*);
void prune_sums_avx512(const PruneLayout&, const PruneBase&, const std::int8_t*, const std::uint8_t*, std::size_t,
                      std::int32_t*);
#endif

}  // namespace botd::fast
