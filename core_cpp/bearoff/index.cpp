#include "bearoff/index.hpp"

namespace botd::bearoff {
namespace {

constexpr std::size_t kRows = kMaxPoints + kCheckers + 1;

// C(n, k) for all n and k that occur.
constexpr std::array<std::array<std::uint32_t, kMaxPoints + 1>, kRows> make_binomials() {
  std::array<std::array<std::uint32_t, kMaxPoints + 1>, kRows> c{};
  for (std::size_t n = 0; n < c.size(); ++n) {
    c[n][0] = 1;
    for (std::size_t k = 1; k < c[n].size() && n > 0; ++k) c[n][k] = c[n - 1][k - 1] + c[n - 1][k];
  }
  return c;
}
constexpr auto kBinomials = make_binomials();

// Rank of the bit pattern (from high to low) 1, counts[0] zeros, 1, counts[1] zeros, ..., among all with as
// many ones.
template <class CountAt>
std::uint32_t rank(std::size_t points, CountAt&& count_at) {
  std::size_t bit = points - 1;
  for (std::size_t i = 0; i < points; ++i) bit += count_at(i);
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < points; ++i) {
    index += kBinomials[bit][points - i];
    bit -= count_at(i) + 1;  // wraps after the last point, where it is not used any more
  }
  return index;
}

}  // namespace

std::uint32_t position_count(int points, int checkers) {
  return kBinomials[static_cast<std::size_t>(points + checkers)][static_cast<std::size_t>(points)];
}

std::uint32_t position_index(std::span<const int> counts) {
  return rank(counts.size(), [&](std::size_t i) { return static_cast<std::size_t>(counts[i]); });
}

Counts counts_of(std::uint32_t index, int points) {
  Counts counts{};
  const auto n = static_cast<std::size_t>(points);
  std::size_t previous = kRows;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t bit = i == 0 ? n + kCheckers - 1 : previous - 1;
    while (kBinomials[bit][n - i] > index) --bit;
    index -= kBinomials[bit][n - i];
    if (i > 0) counts[i - 1] = static_cast<int>(previous - bit) - 1;
    previous = bit;
  }
  counts[n - 1] = static_cast<int>(previous);
  return counts;
}

std::uint32_t own_index(const Board& board, int points) {
  return rank(static_cast<std::size_t>(points),
              [&](std::size_t i) { return static_cast<std::size_t>(board[i + 1]); });
}

std::uint32_t opponent_index(const Board& board, int points) {
  return rank(static_cast<std::size_t>(points),
              [&](std::size_t i) { return static_cast<std::size_t>(-board[kPoints - i]); });
}

bool covers(const Board& board, int points, int checkers) {
  const int own = kCheckers - own_borne_off(board);
  const int opponent = kCheckers - opponent_borne_off(board);
  if (own < 1 || opponent < 1 || own > checkers || opponent > checkers || !is_race(board)) return false;
  for (int i = 1; i <= kPoints; ++i) {
    const int count = board[static_cast<std::size_t>(i)];
    if (count > 0 ? i > points : count < 0 && kPoints + 1 - i > points) return false;
  }
  return true;
}

}  // namespace botd::bearoff
