#include <array>
#include <cstring>

#include "fast/prune_kernels.hpp"

namespace botd::fast {
namespace {

// The places whose content differs.
struct Difference {
  std::array<std::uint8_t, kPrunePlaces> places{};
  std::size_t count = 0;
};

Difference difference(const std::int8_t* board, const std::int8_t* base) {
  Difference d;
  for (std::size_t p = 0; p < kPrunePlaces; ++p) {
    d.places[d.count] = static_cast<std::uint8_t>(p);
    d.count += board[p] != base[p] ? 1 : 0;
  }
  return d;
}

// Sums wrap like those of the vector instructions.
void add(std::int16_t* z, const std::int16_t* row) {
  for (int j = 0; j < kPruneTile; ++j)
    z[j] = static_cast<std::int16_t>(static_cast<std::uint16_t>(z[j]) + static_cast<std::uint16_t>(row[j]));
}

void change(std::int16_t* z, const std::int16_t* added, const std::int16_t* removed) {
  for (int j = 0; j < kPruneTile; ++j)
    z[j] = static_cast<std::int16_t>(static_cast<std::uint16_t>(z[j]) + static_cast<std::uint16_t>(added[j]) -
                                     static_cast<std::uint16_t>(removed[j]));
}

}  // namespace

PruneSumsFunction prune_sums_function(CpuPath path) {
  switch (path) {
#ifdef BOTD_X86
    case CpuPath::avx2:
      return prune_sums_avx2;
    case CpuPath::avx512:
      return prune_sums_avx512;
#endif
    default:
      return prune_sums_plain;
  }
}

void prune_sums_plain(const PruneLayout& layout, const PruneBase& base, const std::int8_t* boards,
                      const std::uint8_t* features, std::size_t count, std::int32_t* sums) {
  const std::ptrdiff_t stride = layout.stride;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int8_t* board = boards + i * kPrunePlaces;
    const Difference d = difference(board, base.board);
    std::int32_t sum = 0;
    for (std::ptrdiff_t first = 0; first < stride; first += kPruneTile) {
      std::array<std::int16_t, kPruneTile> z;
      std::memcpy(z.data(), base.hidden + first, sizeof z);
      for (std::size_t k = 0; k < d.count; ++k) {
        const std::ptrdiff_t p = d.places[k];
        const std::int16_t* row = layout.places + (p * kPruneContents + kPruneZeroContent) * stride + first;
        change(z.data(), row + board[p] * stride, row + base.board[p] * stride);
      }
      for (std::size_t f = 0; f < kPruneRowsOfBoard; ++f)
        add(z.data(), layout.features + features[i * kPruneRowsOfBoard + f] * stride + first);
      const std::int16_t* weights = layout.output + first;
      for (std::size_t j = 0; j < kPruneTile; ++j)
        sum += static_cast<std::int32_t>(z[j] > 0 ? z[j] : 0) * static_cast<std::int32_t>(weights[j]);
    }
    sums[i] = sum;
  }
}

}  // namespace botd::fast
