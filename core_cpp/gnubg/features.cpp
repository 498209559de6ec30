#include "gnubg/features.hpp"

#include <algorithm>
#include <bit>

#include "common/escapes.hpp"
#include "gnubg/hitting.hpp"

namespace botd::gnubg {
namespace {

constexpr int kMostRolls = 36;

// What a checker of the other side has before it on its own index n, when `made` are this side's points.
// Indexes an EscapeTable.
std::size_t escape_mask(std::uint32_t made, int n) { return ((made & kPointBits) >> (kBar - n)) & 0xFFFU; }

int escapes(std::uint32_t made, int n) { return kEscapes[escape_mask(made, n)]; }

// Calls f(index, checkers) for every occupied index of `where`.
template <typename F>
void for_each_point(const Side& side, std::uint32_t where, F f) {
  for (std::uint32_t rest = side.occupied & where; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    f(i, side[i]);
  }
}

void add_checkers_off(const Side& me, const Side& opponent, PositionClass position_class, Features& f) {
  const bool crashed = position_class == PositionClass::kCrashed;
  const int off = kCheckers - (crashed ? me : opponent).checkers;
  const int step = crashed ? 5 : 3;
  for (int k = 0; k < 3; ++k)
    f[static_cast<std::size_t>(kOffA + k)] =
        static_cast<float>(std::clamp(off - k * step, 0, step)) / static_cast<float>(step);
}

void add_pips(const Side& me, int rear, Features& f) {
  const int rear_index = 23 - rear;  // of the rear checker in my numbering; -1 on its bar
  int contact = 0;
  int free = 0;
  for_each_point(me, ~0U, [&](int i, int n) {
    contact += i > rear_index ? (i - rear_index + 1) * n : 0;
    free += i < rear_index ? (i + 1) * n : 0;
  });
  f[kContactPips] = static_cast<float>(contact) / 167.0F;
  f[kFreePips] = static_cast<float>(free) / 100.0F;
}

// Counts spares from the rear to the front; the gaps in the home board are filled from them.
int spare_pips(const Side& me, int rear) {
  constexpr int kHomePoints = 6;
  const int behind = std::max(23 - rear, 11);
  int pips = kBar * me.bar();
  int spares = me.bar();
  for_each_point(me, bits(behind + 1, 23), [&](int i, int n) {
    if (n == 2) return;
    const int spare = n > 2 ? n - 2 : 1;
    pips += i * spare;
    spares += spare;
  });
  for_each_point(me, bits(kHomePoints, behind), [&](int i, int n) {
    pips += i * n;
    spares += n;
  });
  for (int i = kHomePoints - 1; i >= 0; --i) {
    const int spare = me[i] - 2;  // negative: the point needs as many
    if (spare < 0 && spares < -spare) continue;
    pips += i * spare;
    spares += spare;
  }
  return pips;
}

void add_anchors(const Side& me, Features& f) {
  f[kRearPosition] = static_cast<float>(me.back()) / 24.0F;
  const std::uint32_t made = me.made & kPointBits;
  f[kRearAnchor] = static_cast<float>(highest(made)) / 24.0F;
  const std::uint32_t home = made & bits(18, 23);
  const std::uint32_t outfield = made & bits(12, 17);
  if (home != 0)
    f[kFrontAnchor] = static_cast<float>(kBar - std::countr_zero(home)) / 6.0F;
  else
    f[kFrontAnchor] = outfield == 0 ? 2.0F : static_cast<float>(kBar - highest(outfield)) / 6.0F;
  const int back = checkers_on(me, 18, kBar);
  const int anchors = std::popcount(home);
  f[kTwoRearPoints] = anchors >= 2 ? static_cast<float>(back - 3) / 4.0F : 0.0F;
  f[kOneRearPoint] = anchors == 1 ? static_cast<float>(back) / 8.0F : 0.0F;
}

void add_containment(const Side& me, int rear, Features& f) {
  f[kRearEscape] = static_cast<float>(escapes(me.made, rear)) / 36.0F;
  f[kRearEscapePast] = static_cast<float>(kEscapesPastBlock[escape_mask(me.made, rear)]) / 36.0F;
  int fewest = kMostRolls;
  int fewest_to_rear = kMostRolls;
  for (int n = 15; n < kBar; ++n) {
    const int rolls = escapes(me.made, n);
    fewest = std::min(fewest, rolls);
    if (n <= rear) fewest_to_rear = std::min(fewest_to_rear, rolls);
  }
  if (rear == kBar) fewest_to_rear = std::min(fewest_to_rear, escapes(me.made, kBar));
  const float to_rear = static_cast<float>(kMostRolls - fewest_to_rear) / 36.0F;
  const float home_side = static_cast<float>(kMostRolls - fewest) / 36.0F;
  f[kHoldToRear] = to_rear;
  f[kHoldToRearSquared] = to_rear * to_rear;
  f[kHoldHomeSide] = home_side;
  f[kHoldHomeSideSquared] = home_side * home_side;
}

int outfield_mobility(const Side& me, const Side& opponent) {
  int sum = 0;
  for_each_point(me, bits(6, kBar), [&](int i, int n) { sum += (i - 5) * n * escapes(opponent.made, i); });
  return sum;
}

// The mean square of the distances of the checkers behind the mean, both rounded up.
int rear_spread(const Side& me) {
  int positions = 0;
  for_each_point(me, ~0U, [&](int i, int n) { positions += i * n; });
  const int mean = (positions + me.checkers - 1) / me.checkers;
  int behind = 0;
  int squares = 0;
  for_each_point(me, bits(mean + 1, kBar), [&](int i, int n) {
    behind += n;
    squares += n * (i - mean) * (i - mean);
  });
  return behind == 0 ? 0 : (squares + behind - 1) / behind;
}

// Pips lost over the 36 rolls with one checker on the bar, or with more; by the opponent's home points.
constexpr int entry_loss(std::uint32_t home, bool several) {
  const auto made = [&](int i) { return ((home >> i) & 1U) != 0; };
  int loss = 0;
  for (int i = 0; i < 6; ++i) {
    if (made(i)) loss += 4 * (i + 1);
    for (int j = i + 1; j < 6; ++j) {
      if (made(i) && made(j))
        loss += 2 * (i + j + 2);
      else if (several && (made(i) || made(j)))
        loss += 2 * ((made(i) ? i : j) + 1);
    }
  }
  return loss;
}

constexpr auto kEntryLosses = [] {
  std::array<std::array<std::int16_t, 64>, 2> losses{};
  for (std::uint32_t home = 0; home < 64; ++home)
    for (const bool several : {false, true})
      losses[several ? 1 : 0][home] = static_cast<std::int16_t>(entry_loss(home, several));
  return losses;
}();

void add_entry(const Side& me, const Side& opponent, Features& f) {
  const std::uint32_t home = opponent.made & bits(0, 5);
  if (me.bar() > 0) f[kEntryLoss] = static_cast<float>(kEntryLosses[me.bar() > 1 ? 1 : 0][home]) / 294.0F;
  const int open = 6 - std::popcount(home);
  f[kEntryBlock] = static_cast<float>(36 - open * open) / 36.0F;
}

// 1 where no point helps the rearmost one, 0 where all are within six pips of it.
float point_chain(const Side& me) {
  constexpr std::array<int, 25> kWeight = {11, 11, 11, 11, 11, 11, 11, 6, 5, 4, 3, 2};
  const std::uint32_t made = me.made & bits(1, 23);
  if (made == 0) return 0.0F;
  const int rear = highest(made);
  const std::uint32_t others = made & ~bit(rear);
  if (others == 0) return 0.0F;
  int sum = 0;
  for (std::uint32_t rest = others; rest != 0; rest &= rest - 1)
    sum += kWeight[static_cast<std::size_t>(rear - std::countr_zero(rest))];
  return 1.0F - static_cast<float>(sum) / static_cast<float>(11 * std::popcount(others));
}

}  // namespace

Features features(const Side& me, const Side& opponent, PositionClass position_class, Profile profile) {
  const int rear = opponent.back();
  Features f{};
  add_checkers_off(me, opponent, position_class, f);
  add_pips(me, rear, f);
  f[kSparePips] = static_cast<float>(spare_pips(me, rear)) / 100.0F;
  add_anchors(me, f);
  const HittingRolls hits = hitting_rolls(me, opponent, profile);
  f[kHitPips] = static_cast<float>(hits.pips) / 432.0F;
  f[kHitOne] = static_cast<float>(hits.one) / 36.0F;
  f[kHitTwo] = static_cast<float>(hits.two) / 36.0F;
  add_containment(me, rear, f);
  f[kOutfieldMobility] = static_cast<float>(outfield_mobility(me, opponent)) / 3600.0F;
  f[kRearSpread] = static_cast<float>(rear_spread(me)) / 400.0F;
  add_entry(me, opponent, f);
  f[kPointChain] = point_chain(me);
  return f;
}

}  // namespace botd::gnubg
