#include "gnubg/race_backgammon.hpp"

#include <algorithm>
#include <array>

namespace botd::gnubg {
namespace {

constexpr int kFirstAway = 18;  // index of the first point of the opponent's home

bool may_lose_backgammon(const Side& side) { return side.checkers == kCheckers && side.back() >= kFirstAway; }

// Index d - 1: checkers of `side` that need at least d pips to leave the opponent's home.
using Stragglers = std::array<int, 6>;

Stragglers stragglers_of(const Side& side) {
  Stragglers counts{};
  for (int d = 1; d <= 6; ++d) counts[static_cast<std::size_t>(d - 1)] = side[kFirstAway - 1 + d];
  return counts;
}

// The winner is off before the loser's stragglers are out, by counting rolls of both. `winner_rolls`: the
// winner's chance to bear off in exactly n rolls; the side on roll needs no head start.
double with_few_stragglers(const bearoff::Distribution& winner_rolls, const ClearingRolls& clearing, bool winner_on_roll) {
  std::array<double, kClearingRolls + 1> within{};  // the winner is off within n rolls
  for (std::size_t n = 1; n < within.size(); ++n) within[n] = within[n - 1] + winner_rolls[n] / double{bearoff::kCertain};
  double chance = 0.0;
  double scale = 1.0;
  for (std::size_t k = 1; k < within.size(); ++k) {
    scale *= 36.0;
    chance += static_cast<double>(clearing[k - 1]) / scale * within[winner_on_roll ? k : k - 1];
  }
  return chance;
}

// The stragglers leave as if they were bearing off.
double with_many_stragglers(const Side& winner, const Stragglers& counts, bool winner_on_roll,
                            const BearoffLookup& bearoff) {
  Side leaving;
  for (std::size_t d = 0; d < counts.size(); ++d) leaving.count[d] = static_cast<std::uint8_t>(counts[d]);
  return winner_on_roll ? bearoff.one_sided_win(winner, leaving) : 1.0 - bearoff.one_sided_win(leaving, winner);
}

double backgammon_chance(const Side& winner, const Side& loser, bool winner_on_roll, const BearoffLookup& bearoff,
                         const ClearingTable& clearing) {
  const Stragglers counts = stragglers_of(loser);
  int men = 0;
  int pips = 0;
  for (int d = 1; d <= 6; ++d) {
    men += counts[static_cast<std::size_t>(d - 1)];
    pips += d * counts[static_cast<std::size_t>(d - 1)];
  }
  // With four men off or three pips moved each time, the stragglers are out before the winner is off.
  const int fewest_rolls = (winner.checkers + 3) / 4 - (winner_on_roll ? 1 : 0);
  if (fewest_rolls > (pips + 2) / 3) return 0.0;
  const double chance =
      men <= kMostToClear
          ? with_few_stragglers(bearoff.rolls_to_bear_off(winner),
                                clearing.rolls(std::span(counts).first<kClearingDistances>()), winner_on_roll)
          : with_many_stragglers(winner, counts, winner_on_roll, bearoff);
  return std::min(chance, 1.0);
}

}  // namespace

void set_race_backgammons(const Position& position, const BearoffLookup& bearoff, const ClearingTable& clearing,
                          Probabilities& p) {
  if (may_lose_backgammon(position.other)) {
    p.win_backgammon =
        static_cast<float>(backgammon_chance(position.roller, position.other, true, bearoff, clearing));
    if (p.win_backgammon > 0.0F) p.win_gammon = std::max(p.win_gammon, p.win_backgammon);
  } else if (may_lose_backgammon(position.roller)) {
    p.lose_backgammon =
        static_cast<float>(backgammon_chance(position.other, position.roller, false, bearoff, clearing));
    if (p.lose_backgammon > 0.0F) p.lose_gammon = std::max(p.lose_gammon, p.lose_backgammon);
  }
}

}  // namespace botd::gnubg
