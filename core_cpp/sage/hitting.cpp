// All blots are treated at once: a word of blots shifted by d holds the points that are d pips behind them.
#include "sage/hitting.hpp"

#include <algorithm>
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

enum class Free : std::uint8_t { all, any };

struct Way {
  Free kind;                               // whether all or any of the intermediate points must be open
  std::array<std::uint8_t, 3> intermediates;  // distances from the target, 0 = none
  std::uint8_t dice;
  std::uint8_t pips;
};

constexpr std::array<Way, 39> kWays = {{
    {Free::all, {0, 0, 0}, 1, 1}, {Free::all, {0, 0, 0}, 1, 2}, {Free::all, {1, 0, 0}, 2, 2},
    {Free::all, {0, 0, 0}, 1, 3}, {Free::any, {1, 2, 0}, 2, 3}, {Free::all, {1, 2, 0}, 3, 3},
    {Free::all, {0, 0, 0}, 1, 4}, {Free::any, {1, 3, 0}, 2, 4}, {Free::all, {2, 0, 0}, 2, 4},
    {Free::all, {1, 2, 3}, 4, 4}, {Free::all, {0, 0, 0}, 1, 5}, {Free::any, {1, 4, 0}, 2, 5},
    {Free::any, {2, 3, 0}, 2, 5}, {Free::all, {0, 0, 0}, 1, 6}, {Free::any, {1, 5, 0}, 2, 6},
    {Free::any, {2, 4, 0}, 2, 6}, {Free::all, {3, 0, 0}, 2, 6}, {Free::all, {2, 4, 0}, 3, 6},
    {Free::any, {1, 6, 0}, 2, 7}, {Free::any, {2, 5, 0}, 2, 7}, {Free::any, {3, 4, 0}, 2, 7},
    {Free::any, {2, 6, 0}, 2, 8}, {Free::any, {3, 5, 0}, 2, 8}, {Free::all, {4, 0, 0}, 2, 8},
    {Free::all, {2, 4, 6}, 4, 8}, {Free::any, {3, 6, 0}, 2, 9}, {Free::any, {4, 5, 0}, 2, 9},
    {Free::all, {3, 6, 0}, 3, 9}, {Free::any, {4, 6, 0}, 2, 10}, {Free::all, {5, 0, 0}, 2, 10},
    {Free::any, {5, 6, 0}, 2, 11}, {Free::all, {6, 0, 0}, 2, 12}, {Free::all, {4, 8, 0}, 3, 12},
    {Free::all, {3, 6, 9}, 4, 12}, {Free::all, {5, 10, 0}, 3, 15}, {Free::all, {4, 8, 12}, 4, 16},
    {Free::all, {6, 12, 0}, 3, 18}, {Free::all, {5, 10, 15}, 4, 20}, {Free::all, {6, 12, 18}, 4, 24},
}};

struct RollWays {
  std::array<std::uint8_t, 4> ways;
  std::uint8_t count;
  std::uint8_t weight;
};

constexpr std::array<RollWays, 21> kRollWays = {{
    {{0, 2, 5, 9}, 4, 1}, {{0, 1, 4, 0}, 3, 2}, {{1, 8, 17, 24}, 4, 1}, {{0, 3, 7, 0}, 3, 2},
    {{1, 3, 12, 0}, 3, 2}, {{3, 16, 27, 33}, 4, 1}, {{0, 6, 11, 0}, 3, 2}, {{1, 6, 15, 0}, 3, 2},
    {{3, 6, 20, 0}, 3, 2}, {{6, 23, 32, 35}, 4, 1}, {{0, 10, 14, 0}, 3, 2}, {{1, 10, 19, 0}, 3, 2},
    {{3, 10, 22, 0}, 3, 2}, {{6, 10, 26, 0}, 3, 2}, {{10, 29, 34, 37}, 4, 1}, {{0, 13, 18, 0}, 3, 2},
    {{1, 13, 21, 0}, 3, 2}, {{3, 13, 25, 0}, 3, 2}, {{6, 13, 28, 0}, 3, 2}, {{10, 13, 30, 0}, 3, 2},
    {{13, 31, 36, 38}, 4, 1},
}};

using Marks = std::array<std::uint32_t, kWays.size()>;  // shooters that hit by each way

int best_without_bar(const RollWays& roll, const Marks& marks) {
  int best = 0;
  for (std::size_t i = 0; i < roll.count; ++i) {
    const std::size_t way = roll.ways[i];
    if (marks[way] != 0) best = std::max(best, highest(marks[way]) - kWays[way].pips);
  }
  return best;
}

int best_with_one_on_bar(const RollWays& roll, const Marks& marks, std::uint32_t blocked) {
  int best = 0;
  bool entered = false;
  for (std::size_t i = 0; i < roll.count; ++i) {
    const std::size_t way = roll.ways[i];
    const int pips = kWays[way].pips;
    if ((marks[way] & kBarBit) != 0) best = std::max(best, 25 - pips);
    if (kWays[way].dice != 1 || entered) continue;
    const std::uint32_t others = marks[way] & ~kBarBit;
    if (others == 0) continue;
    // The other die has to enter first; for a double the entry point tested is that of both dice together.
    const int entry = 25 - kWays[roll.ways[1 - i]].pips;
    if (((blocked >> entry) & 1U) != 0) continue;
    entered = true;
    best = std::max(best, highest(others) - pips);
  }
  return best;
}

int best_with_more_on_bar(const RollWays& roll, const Marks& marks) {
  int best = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t way = roll.ways[i];
    if (kWays[way].dice == 1 && (marks[way] & kBarBit) != 0) best = std::max(best, 25 - kWays[way].pips);
  }
  return best;
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
  const std::uint32_t blocked = me.their_made;
  Marks marks;
  for (std::size_t i = 0; i < kWays.size(); ++i) {
    const Way& way = kWays[i];
    std::uint32_t stopped = 0;
    if (way.kind == Free::all) {
      for (const std::uint8_t x : way.intermediates)
        if (x != 0) stopped |= blocked >> x;
    } else {
      stopped = (blocked >> way.intermediates[0]) & (blocked >> way.intermediates[1]);
    }
    marks[i] = ((targets & ~stopped) << way.pips) & shooters;
  }
  int sum = 0;
  for (const RollWays& roll : kRollWays) {
    int best = 0;
    if (me.bar() == 0)
      best = best_without_bar(roll, marks);
    else if (me.bar() == 1)
      best = best_with_one_on_bar(roll, marks, blocked);
    else
      best = best_with_more_on_bar(roll, marks);
    sum += best * roll.weight;
  }
  return sum;
}

}  // namespace botd::sage
