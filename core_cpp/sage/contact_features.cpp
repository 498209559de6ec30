#include "sage/contact_features.hpp"

#include <algorithm>
#include <bit>

#include "common/escapes.hpp"
#include "sage/feature_lanes.hpp"
#include "sage/hitting.hpp"

namespace botd::sage {
namespace {

// Rolls that take a checker on `start` (19..24) to point 15 or lower. Bit j of `blocked`: the point j + 1 pips
// ahead of it is blocked.
int rolls_to_escape(int start, std::uint32_t blocked_ahead) {
  const auto blocked = [&](int pips) { return ((blocked_ahead >> (pips - 1)) & 1U) != 0; };
  const auto outside = [&](int pips) { return start - pips <= 15; };
  int rolls = 0;
  for (int high = 1; high <= 6; ++high) {
    for (int low = 1; low < high; ++low)
      if (outside(high + low) && !(blocked(high) && blocked(low)) && !blocked(high + low)) rolls += 2;
    const int d = high;
    if (!outside(4 * d) || blocked(d) || blocked(2 * d)) continue;
    if (outside(2 * d))
      ++rolls;
    else if (!blocked(3 * d) && (outside(3 * d) || !blocked(4 * d)))  // at most twelve pips ahead, here
      ++rolls;
  }
  return rolls;
}

using EscapingRollsTable = std::array<EscapeTable, 6>;  // by start - 19 and blocked points ahead

EscapingRollsTable make_escaping_rolls() {
  EscapingRollsTable table{};
  for (std::size_t start = 0; start < table.size(); ++start)
    for (std::uint32_t mask = 0; mask < kEscapeMasks; ++mask)
      table[start][mask] = static_cast<std::uint8_t>(rolls_to_escape(static_cast<int>(start) + 19, mask));
  return table;
}

const EscapingRollsTable& escaping_rolls_table() {
  static const EscapingRollsTable table = make_escaping_rolls();
  return table;
}

// `blockers`: the other side's made points in its own numbering.
int escaping_rolls(const SideView& me, std::uint32_t blockers) {
  const int start = highest(me.occupied & bits(19, 24));
  if (start == 0) return 36;
  return escaping_rolls_table()[static_cast<std::size_t>(start - 19)][escape_mask(blockers, start - 1)];
}

struct Containment {
  int up_to_rear_enemy;
  int everywhere;
};

// 36 - the fewest escaping rolls of an enemy on its points 16..24, or on those of them behind `rear_enemy`.
Containment containment(const SideView& me, int rear_enemy) {
  const int end = std::min(24, 25 - rear_enemy);
  int fewest = 36;
  int fewest_to_end = 36;
  for (int n = 15; n < 24; ++n) {
    if (n == end) fewest_to_end = fewest;
    fewest = std::min<int>(fewest, kEscapes[escape_mask(me.made, n)]);
  }
  if (end == 24) fewest_to_end = fewest;
  return {36 - fewest_to_end, 36 - fewest};
}

int mobility(const SideView& me, std::uint32_t blockers) {
  int sum = 19 * me.bar() * kEscapes[escape_mask(blockers, 24)];
  for (std::uint32_t word = me.occupied & bits(7, 24); word != 0; word &= word - 1) {
    const int point = lowest(word, 0);
    sum += (point - 6) * me.count[static_cast<std::size_t>(point)] * kEscapes[escape_mask(blockers, point - 1)];
  }
  return sum;
}

int ceil_divide(int numerator, int denominator) { return (numerator + denominator - 1) / denominator; }

int second_moment(const SideView& me) {
  const int n = kCheckers - me.off;
  const int sum = me.pips - n;  // positions count from 0
  const int mean = n == 0 ? 0 : ceil_divide(sum, n);
  int behind = 0;
  int squares = 0;
  for (int point = mean + 2; point <= 25; ++point) {
    const int distance = point - 1 - mean;
    behind += me.count[static_cast<std::size_t>(point)];
    squares += me.count[static_cast<std::size_t>(point)] * distance * distance;
  }
  return behind == 0 ? 0 : ceil_divide(squares, behind);
}

// Bit i of `blocked_points`: point 19 + i is blocked, which a die of 6 - i enters on.
int entry_loss_of(std::uint32_t blocked_points, bool two) {
  const auto blocked = [&](int die) { return ((blocked_points >> (6 - die)) & 1U) != 0; };
  int loss = 0;
  for (int i = 1; i <= 6; ++i) {
    if (blocked(i)) {
      loss += 4 * i;
      for (int j = i + 1; j <= 6; ++j) {
        if (blocked(j))
          loss += 2 * (i + j);
        else if (two)
          loss += 2 * i;
      }
    } else if (two) {
      for (int j = i + 1; j <= 6; ++j)
        if (blocked(j)) loss += 2 * j;
    }
  }
  return loss;
}

constexpr std::uint32_t kHomeMasks = 64;
using EntryLossTable = std::array<std::int32_t, 2 * kHomeMasks>;

const EntryLossTable& entry_loss_table() {
  static const EntryLossTable table = [] {
    EntryLossTable losses{};
    for (std::uint32_t mask = 0; mask < kHomeMasks; ++mask) {
      losses[mask] = entry_loss_of(mask, false);
      losses[kHomeMasks + mask] = entry_loss_of(mask, true);
    }
    return losses;
  }();
  return table;
}

int entry_loss(const SideView& me) {
  if (me.bar() == 0) return 0;
  return entry_loss_table()[((me.their_made >> 19) & (kHomeMasks - 1)) + (me.bar() >= 2 ? kHomeMasks : 0)];
}

int timing(const SideView& me, int rear_enemy) {
  int spare = me.bar();
  int pips = 24 * spare;
  for (int i = 24; i >= 13 && i > rear_enemy; --i) {
    const int n = me.count[static_cast<std::size_t>(i)];
    if (n == 0 || n == 2) continue;
    const int k = n > 2 ? n - 2 : 1;
    spare += k;
    pips += (i - 1) * k;
  }
  for (int i = std::max(rear_enemy, 12); i >= 7; --i) {
    const int n = me.count[static_cast<std::size_t>(i)];
    spare += n;
    pips += (i - 1) * n;
  }
  for (int i = 6; i >= 1; --i) {
    const int n = me.count[static_cast<std::size_t>(i)];
    if (n > 2) {
      pips += (i - 1) * (n - 2);
      spare += n - 2;
    } else if (n < 2 && spare >= 2 - n) {
      pips -= (i - 1) * (2 - n);
      spare -= 2 - n;
    }
  }
  return pips;
}

double backbone(const SideView& me) {
  int previous = 0;
  int weighted = 0;
  int total = 0;
  for (std::uint32_t word = me.made & bits(2, 24); word != 0;) {
    const int point = highest(word);
    word &= ~(1U << point);
    if (previous != 0) {
      const int distance = previous - point;
      const int weight = distance <= 6 ? 11 : distance <= 11 ? 13 - distance : 0;
      const int n = me.count[static_cast<std::size_t>(previous)];
      weighted += weight * n;
      total += n;
    }
    previous = point;
  }
  return total == 0 ? 0.0 : 1.0 - static_cast<double>(weighted) / (11.0 * total);
}

}  // namespace

FeatureTables feature_tables() {
  return {kEscapes.data(), kEscapesPastBlock.data(), escaping_rolls_table().front().data(), entry_loss_table().data()};
}

ContactFeatures contact_features(const SideView& me) {
  ContactFeatures f;
  const int rear_enemy = highest(me.their_occupied());
  const std::uint32_t blockers = reversed_points(me.their_made);  // in their numbering
  f.bar = me.bar();
  f.off = me.off;
  f.blocked_home_points = std::popcount(me.their_made & bits(19, 24));
  if (const std::uint32_t far_points = me.made & bits(13, 24); far_points != 0)
    f.outfield_anchor = 25 - lowest(far_points, 0);
  f.hitting_rolls = hitting_rolls(me);
  f.double_hitting_rolls = double_hitting_rolls(me);
  f.escaping_rolls = escaping_rolls(me, blockers);
  f.rear_checker = highest(me.occupied);
  f.rear_point = highest(me.made);
  if (rear_enemy > 0) {
    int past = 0;
    int behind = 0;
    for (int i = 1; i <= 25; ++i) {
      const int n = me.count[static_cast<std::size_t>(i)];
      past += i > rear_enemy ? n : 0;
      behind += i > rear_enemy ? 0 : i * n;
    }
    f.pips_behind_enemy = behind;
    f.pips_past_enemy = me.pips - behind - rear_enemy * past;
  }
  f.pips_hit = pips_hit(me);
  const Containment contained = containment(me, rear_enemy);
  f.containment = contained.up_to_rear_enemy;
  f.containment_everywhere = contained.everywhere;
  f.mobility = mobility(me, blockers);
  f.second_moment = second_moment(me);
  f.entry_loss = entry_loss(me);
  f.timing = timing(me, rear_enemy);
  f.backbone = backbone(me);
  f.anchors = std::popcount(me.made & bits(19, 24));
  f.checkers_back = checkers(me, 19, 25);
  f.rear_enemy_escapes = rear_enemy == 0 ? 36 : kEscapesPastBlock[escape_mask(me.made, 24 - rear_enemy)];
  return f;
}

void write_feature_inputs(const ContactFeatures& f, float* x) {
  const auto ratio = [](int numerator, int denominator) {
    return static_cast<float>(numerator) / static_cast<float>(denominator);
  };
  x[0] = ratio(f.bar, 2);
  x[1] = ratio(std::min(f.off, 5), 5);
  x[2] = ratio(std::clamp(f.off - 5, 0, 5), 5);
  x[3] = ratio(std::max(f.off - 10, 0), 5);
  x[4] = ratio(f.blocked_home_points * f.blocked_home_points, 36);
  x[5] = f.outfield_anchor == 0 ? 2.0F : ratio(f.outfield_anchor, 6);
  x[6] = ratio(f.hitting_rolls, 36);
  x[7] = ratio(f.double_hitting_rolls, 36);
  x[8] = ratio(f.escaping_rolls, 36);
  x[9] = ratio(f.rear_checker, 24);
  x[10] = ratio(f.rear_point, 24);
  x[11] = ratio(f.pips_past_enemy, 167);
  x[12] = ratio(f.pips_behind_enemy, 100);
  x[13] = ratio(f.pips_hit, 432);
  x[14] = ratio(f.containment, 36);
  x[15] = x[14] * x[14];
  x[16] = ratio(f.containment_everywhere, 36);
  x[17] = x[16] * x[16];
  x[18] = ratio(f.mobility, 3600);
  x[19] = ratio(f.second_moment, 400);
  x[20] = ratio(f.entry_loss, 294);
  x[21] = ratio(f.timing, 100);
  x[22] = static_cast<float>(f.backbone);
  x[23] = f.anchors >= 2 ? ratio(f.checkers_back - 3, 4) : 0.0F;
  x[24] = f.anchors == 1 ? ratio(f.checkers_back, 8) : 0.0F;
  x[25] = ratio(f.rear_enemy_escapes, 36);
}

}  // namespace botd::sage
