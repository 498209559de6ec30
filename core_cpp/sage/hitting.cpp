// All blots are treated at once: a word of blots shifted by d holds the points that are d pips behind them.
#include "sage/hitting.hpp"

#include <array>
#include <bit>

namespace botd::sage {
namespace {

constexpr std::uint32_t kBarBit = 1U << kOwnBar;

std::uint32_t occupied_with_bar(const SideView& me) { return me.occupied | (me.bar() > 0 ? kBarBit : 0U); }

// ---- double hits: a set of cells (x, y), 1 <= x, y <= 6, at bit 8 (x - 1) + (y - 1) ----

using Cells = std::uint64_t;
constexpr Cells kColumn = 0x0000010101010101ULL;

constexpr std::array<Cells, 64> make_rows() {
  std::array<Cells, 64> rows{};
  for (std::size_t set = 0; set < rows.size(); ++set)
    for (unsigned x = 0; x < 6; ++x)
      if ((set >> x) & 1U) rows[set] |= 0x3FULL << (8 * x);
  return rows;
}
constexpr auto kRows = make_rows();

constexpr std::array<std::uint8_t, 64> make_reversed_six() {
  std::array<std::uint8_t, 64> reversed{};
  for (std::size_t set = 0; set < reversed.size(); ++set)
    for (unsigned i = 0; i < 6; ++i)
      if ((set >> i) & 1U) reversed[set] = static_cast<std::uint8_t>(reversed[set] | (1U << (5 - i)));
  return reversed;
}
constexpr auto kReversedSix = make_reversed_six();

// Cells with x - y = difference.
constexpr std::array<Cells, 6> make_diagonals() {
  std::array<Cells, 6> diagonals{};
  for (unsigned difference = 0; difference < 6; ++difference)
    for (unsigned y = 0; y + difference < 6; ++y) diagonals[difference] |= 1ULL << (8 * (y + difference) + y);
  return diagonals;
}
constexpr auto kDiagonals = make_diagonals();

constexpr Cells product(std::uint32_t rows, std::uint32_t columns) { return kRows[rows] & (columns * kColumn); }

constexpr Cells transposed(Cells c) {
  Cells t = (c ^ (c >> 7)) & 0x00AA00AA00AA00AAULL;
  c ^= t ^ (t << 7);
  t = (c ^ (c >> 14)) & 0x0000CCCC0000CCCCULL;
  c ^= t ^ (t << 14);
  t = (c ^ (c >> 28)) & 0x00000000F0F0F0F0ULL;
  return c ^ t ^ (t << 28);
}

// A double that hits two blots with its four steps, other than one after the other on both first hits.
bool double_hits_two(const SideView& me, std::uint32_t own, int die) {
  const std::uint32_t blots = me.their_blots;
  const std::uint32_t blocked = me.their_made;
  const auto two = [](std::uint32_t word) { return (word & (word - 1)) != 0; };
  // Two different checkers, with 1 + 1, 1 + 2 or 1 + 3 steps.
  const std::uint32_t one_step = blots & (own >> die);
  const std::uint32_t free_one = blots & ~(blocked >> die);
  const std::uint32_t two_steps = free_one & (own >> (2 * die));
  const std::uint32_t three_steps = free_one & ~(blocked >> (2 * die)) & (own >> (3 * die));
  if (two(one_step)) return true;
  if (one_step != 0 && two_steps != 0 && two(one_step | two_steps)) return true;
  if (one_step != 0 && three_steps != 0 && two(one_step | three_steps)) return true;
  // The hitter goes on three steps.
  std::uint32_t onward = (one_step >> die) & kPointBits & ~blocked;
  onward = (onward >> die) & kPointBits & ~blocked;
  if (((onward >> die) & blots) != 0) return true;
  // One checker, not from the bar, hits a second blot on its way to the first.
  std::uint32_t way = (blots << die) & kPointBits;
  std::uint32_t second = way & blots;
  way &= ~blocked;
  way = (way << die) & kPointBits;
  second = (second << die) & kPointBits;
  second |= way & blots;
  for (int step = 2; step <= 4; ++step) {
    if ((second & me.occupied) != 0) return true;
    second = ((second & ~blocked) << die) & kPointBits;
  }
  return false;
}

// ---- pips hit ----
//
// A hit on point t of this side's numbering costs the other side t pips, so a roll is worth the highest point
// on which it hits.

struct Shots {
  std::uint32_t targets;
  std::uint32_t blocked;
  std::uint32_t shooters;

  // Targets that a shot of `pips` from one of `from` reaches, whatever is in between.
  [[nodiscard]] std::uint32_t hit(std::uint32_t from, int pips) const { return targets & (from >> pips); }

  // By two different dice together; one of the points in between has to be open.
  [[nodiscard]] std::uint32_t combined(std::uint32_t from, int low, int high) const {
    return hit(from, low + high) & ~((blocked >> low) & (blocked >> high));
  }

  // By two to four steps of a double over open points.
  [[nodiscard]] std::uint32_t stepped(std::uint32_t from, int die) const {
    std::uint32_t stopped = blocked >> die;
    std::uint32_t reached = hit(from, 2 * die) & ~stopped;
    stopped |= blocked >> (2 * die);
    reached |= hit(from, 3 * die) & ~stopped;
    stopped |= blocked >> (3 * die);
    return reached | (hit(from, 4 * die) & ~stopped);
  }
};

int pips_without_bar(const Shots& shots) {
  int sum = 0;
  for (int high = 1; high <= 6; ++high) {
    const std::uint32_t direct = shots.hit(shots.shooters, high);
    for (int low = 1; low < high; ++low)
      sum += 2 * highest(direct | shots.hit(shots.shooters, low) | shots.combined(shots.shooters, low, high));
    sum += highest(direct | shots.stepped(shots.shooters, high));
  }
  return sum;
}

int pips_with_one_on_bar(const Shots& shots) {
  const std::uint32_t others = shots.shooters & ~kBarBit;
  const auto open = [&](int entry) { return ((shots.blocked >> (25 - entry)) & 1U) == 0; };
  int sum = 0;
  for (int high = 1; high <= 6; ++high) {
    const std::uint32_t bar_direct = shots.hit(kBarBit, high);
    const std::uint32_t direct = shots.hit(others, high);
    for (int low = 1; low < high; ++low) {
      std::uint32_t reached = bar_direct | shots.hit(kBarBit, low) | shots.combined(kBarBit, low, high);
      // One of the others hits if the other die enters; the smaller hitting die goes first.
      if (const std::uint32_t by_low = shots.hit(others, low); by_low != 0 && open(high))
        reached |= by_low;
      else if (open(low))
        reached |= direct;
      sum += 2 * highest(reached);
    }
    // For a double the reference engine tests the point twice the die as the entry.
    sum += highest(bar_direct | shots.stepped(kBarBit, high) | (open(2 * high) ? direct : 0U));
  }
  return sum;
}

int pips_with_more_on_bar(const Shots& shots) {
  int sum = 0;
  for (int high = 1; high <= 6; ++high) {
    const std::uint32_t direct = shots.hit(kBarBit, high);
    for (int low = 1; low < high; ++low) sum += 2 * highest(direct | shots.hit(kBarBit, low));
    sum += highest(direct);
  }
  return sum;
}

}  // namespace

int hitting_rolls(const SideView& me) {
  const std::uint32_t blots = me.their_blots;
  const std::uint32_t open = ~me.their_made & kPointBits;
  if (blots == 0) return 0;
  std::array<std::uint32_t, 7> landed{};  // open points one die behind a blot
  std::array<bool, 7> direct{};
  for (std::size_t die = 1; die <= 6; ++die) {
    const std::uint32_t behind = blots << die;
    landed[die] = behind & open;
    direct[die] = (behind & me.occupied) != 0;
  }
  int rolls = 0;
  for (std::size_t high = 1; high <= 6; ++high) {
    for (std::size_t low = 1; low < high; ++low)
      if (direct[high] || direct[low] || (((landed[high] << low) | (landed[low] << high)) & me.occupied) != 0)
        rolls += 2;
    std::uint32_t walk = landed[high];
    bool hit = direct[high];
    for (int step = 2; step <= 4 && !hit; ++step) {
      walk <<= high;
      hit = (walk & me.occupied) != 0;
      walk &= open;
    }
    rolls += hit ? 1 : 0;
  }
  return rolls;
}

int double_hitting_rolls(const SideView& me) {
  const std::uint32_t blots = me.their_blots;
  if ((blots & (blots - 1)) == 0) return 0;
  const std::uint32_t own = occupied_with_bar(me);
  const std::uint32_t lone = me.blots() | (me.bar() == 1 ? kBarBit : 0U);
  Cells cells = 0;
  for (std::uint32_t targets = blots; targets != 0; targets &= targets - 1) {
    const int t = std::countr_zero(targets);
    const std::uint32_t shooters = (own >> (t + 1)) & 63U;
    if (shooters == 0) continue;
    const std::uint32_t lone_shooters = (lone >> (t + 1)) & 63U;
    // The checker that hits on t goes on with the other die.
    cells |= product(shooters, kReversedSix[((blots << 6) >> t) & 63U]);
    // Another checker hits elsewhere; a lone checker cannot do both.
    for (std::uint32_t others = targets & (targets - 1); others != 0; others &= others - 1) {
      const int u = std::countr_zero(others);
      Cells pair = product(shooters, (own >> (u + 1)) & 63U);
      if (u - t < 6) pair &= ~(kDiagonals[static_cast<std::size_t>(u - t)] & kRows[lone_shooters]);
      cells |= pair;
    }
  }
  cells |= transposed(cells);
  for (int die = 1; die <= 6; ++die)
    if (double_hits_two(me, own, die)) cells |= 1ULL << (9 * (die - 1));
  return std::popcount(cells);
}

int pips_hit(const SideView& me) {
  std::uint32_t targets = me.their_blots;
  if (std::popcount(me.occupied & bits(1, 6)) <= 2) targets &= ~bits(1, 2);
  if (targets == 0) return 0;
  std::uint32_t shooters = occupied_with_bar(me);
  for (std::uint32_t home = me.made & bits(1, 6); home != 0; home &= home - 1) {
    const int point = std::countr_zero(home);
    if (me.count[static_cast<std::size_t>(point)] == 2) shooters &= ~(1U << point);
  }
  const Shots shots{targets, me.their_made, shooters};
  if (me.bar() == 0) return pips_without_bar(shots);
  return me.bar() == 1 ? pips_with_one_on_bar(shots) : pips_with_more_on_bar(shots);
}

}  // namespace botd::sage
