// All blots are treated at once: a word of blots shifted by d holds the checkers that reach one with d pips.
#include "gnubg/hitting.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace botd::gnubg {
namespace {

constexpr int kStrongBoard = 3;

// Words in the hitting side's numbering.
struct Shots {
  std::uint32_t targets;
  std::uint32_t hitters;
  std::uint32_t blots;    // all opposing blots, targets or not
  std::uint32_t blocked;  // points that the opponent has made

  // Checkers that hit with one die.
  [[nodiscard]] std::uint32_t direct(int die) const { return (targets << die) & hitters; }

  // With both dice of a mixed roll, over one of two points.
  [[nodiscard]] std::uint32_t combined(int low, int high) const {
    return ((targets & ~((blocked >> low) & (blocked >> high))) << (low + high)) & hitters;
  }

  // With `steps` dice of a double, over the points in between.
  [[nodiscard]] std::uint32_t stepped(int die, int steps) const {
    std::uint32_t open = targets;
    for (int step = 1; step < steps; ++step) open &= ~(blocked >> (step * die));
    return (open << (steps * die)) & hitters;
  }
};

// Hits of one roll.
struct RollHits {
  int count = 0;
  int pips = 0;

  void add_pips(int hitter, int distance) { pips = std::max(pips, hitter - distance + 1); }
};

struct Sums {
  HittingRolls rolls;

  void add(const RollHits& hits, int ways) {
    rolls.pips += ways * hits.pips;
    rolls.one += hits.count >= 1 ? ways : 0;
    rolls.two += hits.count >= 2 ? ways : 0;
  }
};

constexpr bool several(std::uint32_t word) { return (word & (word - 1)) != 0; }

// ---- nobody on the bar: of each way the rearmost hitter counts ----

// Shots with one die, found once for all rolls.
struct DirectShot {
  std::uint32_t hitters = 0;
  std::uint32_t reached = 0;  // what they hit
  int rear = -1;
  bool spare = false;  // more than one checker stands at the rear
};

// The rearmost of `hitters` hits another blot on its way, after one of the numbers of pips in `stops` (bit s: s pips).
bool hits_on_the_way(const Shots& shots, std::uint32_t hitters, std::uint32_t stops) {
  if (hitters == 0) return false;
  const int rear = highest(hitters);
  for (std::uint32_t rest = stops; rest != 0; rest &= rest - 1)
    if ((shots.blots & bit(rear - std::countr_zero(rest))) != 0) return true;
  return false;
}

// Unrolled, so that distances are constants: twice as fast.
HittingRolls without_bar(const Side& me, const Shots& shots) {
  HittingRolls sums;
  const auto add = [&](std::uint32_t reached, bool two, int ways) {
    sums.pips += ways * (highest(reached) + 1);
    sums.one += reached != 0 ? ways : 0;
    sums.two += two ? ways : 0;
  };
  std::array<DirectShot, 7> direct;
  for (int die = 1; die <= 6; ++die) {
    const std::uint32_t hitters = shots.direct(die);
    const int rear = highest(hitters | 1U);
    direct[static_cast<std::size_t>(die)] = {hitters, hitters >> die, rear, (me.made & bit(rear)) != 0};
  }
#pragma GCC unroll 6
  for (int high = 1; high <= 6; ++high) {
    const DirectShot& with_high = direct[static_cast<std::size_t>(high)];
    std::uint32_t reached = with_high.reached;
    bool two = several(with_high.hitters);
    std::uint32_t stops = 0;
#pragma GCC unroll 3
    for (int steps = 2; steps <= 4; ++steps) {
      stops |= bit((steps - 1) * high);
      const std::uint32_t hitters = shots.stepped(high, steps);
      reached |= hitters >> (steps * high);
      two = two || hits_on_the_way(shots, hitters, stops);
    }
    add(reached, two, 1);

#pragma GCC unroll 6
    for (int low = 1; low < high; ++low) {
      const DirectShot& with_low = direct[static_cast<std::size_t>(low)];
      const std::uint32_t combined = shots.combined(low, high);
      const bool two_checkers = with_low.hitters != 0 && with_high.hitters != 0 &&
                                (with_low.rear != with_high.rear || with_high.spare);
      add(with_low.reached | with_high.reached | (combined >> (low + high)),
          two_checkers || hits_on_the_way(shots, combined, bit(low) | bit(high)), 2);
    }
  }
  return sums;
}

// ---- one checker on the bar: it hits, or enters with the other die ----

// The ways of one roll with a checker on the bar.
class EnteringRoll {
 public:
  EnteringRoll(const Shots& shots, const Side& opponent) : shots_(shots), opponent_(opponent) {}

  // `entry`: the distance that would bring the checker in if another one hits.
  void add_direct(int die, int entry) {
    std::uint32_t hitters = shots_.direct(die);
    if ((hitters & bit(kBar)) != 0) {
      ++hits_.count;
      hits_.add_pips(kBar, die);
      hitters &= ~bit(kBar);
    }
    if (hitters == 0 || entered_ || (opponent_.made & bit(entry - 1)) != 0) return;
    entered_ = true;
    ++hits_.count;
    hits_.add_pips(highest(hitters), die);
  }

  void add_longer(std::uint32_t hitters, int distance, std::uint32_t stops) {
    if ((hitters & bit(kBar)) == 0) return;
    hits_.count = std::max(hits_.count, 1);
    hits_.add_pips(kBar, distance);
    // The networks were trained with s + 1 here, though the checker touches down on the opponent's s - 1.
    if ((opponent_.blots & (stops << 1)) != 0) ++hits_.count;
  }

  [[nodiscard]] const RollHits& hits() const { return hits_; }

 private:
  const Shots& shots_;
  const Side& opponent_;
  RollHits hits_;
  bool entered_ = false;
};

HittingRolls with_one_on_bar(const Side& opponent, const Shots& shots) {
  Sums sums;
  for (int high = 1; high <= 6; ++high) {
    EnteringRoll pair(shots, opponent);
    pair.add_direct(high, 2 * high);
    std::uint32_t stops = 0;
    for (int steps = 2; steps <= 4; ++steps) {
      stops |= bit((steps - 1) * high);
      pair.add_longer(shots.stepped(high, steps), steps * high, stops);
    }
    sums.add(pair.hits(), 1);
    for (int low = 1; low < high; ++low) {
      EnteringRoll mixed(shots, opponent);
      mixed.add_direct(low, high);
      mixed.add_direct(high, low);
      mixed.add_longer(shots.combined(low, high), low + high, bit(low) | bit(high));
      sums.add(mixed.hits(), 2);
    }
  }
  return sums.rolls;
}

// ---- more on the bar: only entering hits ----

HittingRolls with_several_on_bar(const Shots& shots) {
  const auto add_entry = [&](int die, RollHits& hits) {
    if ((shots.direct(die) & bit(kBar)) == 0) return;
    ++hits.count;
    hits.add_pips(kBar, die);
  };
  Sums sums;
  for (int high = 1; high <= 6; ++high) {
    RollHits pair;
    add_entry(high, pair);
    sums.add(pair, 1);
    for (int low = 1; low < high; ++low) {
      RollHits mixed;
      add_entry(low, mixed);
      add_entry(high, mixed);
      sums.add(mixed, 2);
    }
  }
  return sums.rolls;
}

}  // namespace

HittingRolls hitting_rolls(const Side& me, const Side& opponent, Profile profile) {
  constexpr std::uint32_t kHome = bits(0, 5);
  const std::uint32_t held = (profile == Profile::kA ? me.occupied : me.made) & kHome;
  const bool strong_board = std::popcount(held) >= kStrongBoard;
  const std::uint32_t blots = seen_by_other(opponent.blots);
  const std::uint32_t targets = strong_board ? blots : blots & ~bits(0, 1);
  if (targets == 0) return {};
  // A home point of exactly two checkers is not broken to hit.
  std::uint32_t hitters = me.occupied;
  for (std::uint32_t points = me.made & kHome; points != 0; points &= points - 1)
    if (me[std::countr_zero(points)] == 2) hitters &= ~(points & (0U - points));
  const Shots shots{targets, hitters, blots, seen_by_other(opponent.made)};
  if (me.bar() == 0) return without_bar(me, shots);
  return me.bar() == 1 ? with_one_on_bar(opponent, shots) : with_several_on_bar(shots);
}

}  // namespace botd::gnubg
