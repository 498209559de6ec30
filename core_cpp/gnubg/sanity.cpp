#include "gnubg/sanity.hpp"

#include <algorithm>

#include "gnubg/position_class.hpp"

namespace botd::gnubg {
namespace {

constexpr float kSmallest = 1e-4F;  // in contact positions

struct SideCount {
  int crossovers = 0;         // to bear everything off
  int gammon_crossovers = 0;  // to save the gammon
};

SideCount count_of(const Side& side) {
  SideCount count{5 * side.bar(), 1 + 4 * side.bar()};
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    const int n = checkers_on(side, 6 * quadrant, 6 * quadrant + 5);
    count.crossovers += (quadrant + 1) * n;
    count.gammon_crossovers += quadrant * n;
  }
  return count;
}

// The most rolls that the side can need in a race, at least as gnubg reckons.
int most_rolls(const Side& side, const SideCount& count, const BearoffLookup& bearoff) {
  if (side.back() >= 6 || !bearoff.has(side)) return 2 * count.crossovers;
  const bearoff::Distribution rolls = bearoff.rolls_to_bear_off(side);
  std::size_t most = rolls.size() - 1;
  while (most > 0 && rolls[most] == 0) --most;
  return static_cast<int>(most);
}

void decide_race(const Position& position, const BearoffLookup& bearoff, Probabilities& p) {
  const SideCount roller = count_of(position.roller);
  const SideCount other = count_of(position.other);
  const int roller_rolls = std::max(1, most_rolls(position.roller, roller, bearoff));
  const int other_rolls = most_rolls(position.other, other, bearoff);
  // A roll makes four crossovers at most. The other side has one roll less before the roller's last.
  const int before_roller = 4 * (roller_rolls - 1);
  const int before_other = 4 * other_rolls;
  if (other.crossovers > before_roller) p.win = 1.0F;
  if (position.other.checkers == kCheckers) {
    if (roller.crossovers > 8 * other.gammon_crossovers)
      p.win_gammon = 0.0F;
    else if (other.gammon_crossovers > before_roller)
      p.win_gammon = 1.0F;
    if (position.other.back() < 18) p.win_backgammon = 0.0F;
  }
  if (roller.crossovers > before_other) p.win = 0.0F;
  if (position.roller.checkers == kCheckers) {
    if (other.crossovers > 8 * roller.gammon_crossovers - 4)
      p.lose_gammon = 0.0F;
    else if (roller.gammon_crossovers > before_other)
      p.lose_gammon = 1.0F;
    if (position.roller.back() < 18) p.lose_backgammon = 0.0F;
  }
}

}  // namespace

void apply_sanity(const Position& position, const BearoffLookup& bearoff, Probabilities& p) {
  for (float* value : {&p.win, &p.win_gammon, &p.win_backgammon, &p.lose_gammon, &p.lose_backgammon})
    *value = std::clamp(*value, 0.0F, 1.0F);
  if (position.other.checkers < kCheckers) p.win_gammon = p.win_backgammon = 0.0F;
  if (position.roller.checkers < kCheckers) p.lose_gammon = p.lose_backgammon = 0.0F;
  const bool contact = has_contact(position.roller, position.other);
  if (!contact) decide_race(position, bearoff, p);
  p.win_gammon = std::min(p.win_gammon, p.win);
  p.lose_gammon = std::min(p.lose_gammon, 1.0F - p.win);
  p.win_backgammon = std::min(p.win_backgammon, p.win_gammon);
  p.lose_backgammon = std::min(p.lose_backgammon, p.lose_gammon);
  if (!contact) return;
  for (float* value : {&p.win_gammon, &p.win_backgammon, &p.lose_gammon, &p.lose_backgammon})
    if (*value < kSmallest) *value = 0.0F;
}

}  // namespace botd::gnubg
