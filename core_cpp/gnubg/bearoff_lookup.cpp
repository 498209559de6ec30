#include "gnubg/bearoff_lookup.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "bearoff/index.hpp"
#include "rules/errors.hpp"

namespace botd::gnubg {
namespace {

constexpr int kStandardPoints = 6;
constexpr double kCertain = bearoff::kCertain;

bool fits(const Side& side, int points, int checkers) { return side.checkers <= checkers && side.back() < points; }

bool fits_both(const Position& position, int points, int checkers) {
  return fits(position.roller, points, checkers) && fits(position.other, points, checkers);
}

std::uint32_t index_of(const Side& side, int points) {
  bearoff::Counts counts{};
  const auto used = static_cast<std::size_t>(points);
  std::copy_n(side.count.begin(), used, counts.begin());
  return bearoff::position_index(std::span<const int>(counts).first(used));
}

// The chance that a first number of rolls is not larger than a second one, or is smaller by `lead` at least.
double not_later(const bearoff::Distribution& first, const bearoff::Distribution& second, std::size_t lead) {
  double chance = 0.0;
  double rest = 0.0;  // of `second`, from i + lead on
  for (std::size_t i = bearoff::kRollCounts; i-- > 0;) {
    if (i + lead < bearoff::kRollCounts) rest += second[i + lead];
    chance += first[i] * rest;
  }
  return chance / (kCertain * kCertain);
}

}  // namespace

BearoffLookup::BearoffLookup(const std::filesystem::path& one_sided, const std::filesystem::path& two_sided) {
  if (!one_sided.empty()) {
    one_sided_ = bearoff::OneSidedDatabase::open(one_sided);
    if (one_sided_->points() < kStandardPoints || one_sided_->checkers() < kCheckers || !one_sided_->has_gammons())
      throw DataError(one_sided.string() + ": a one-sided database of " + std::to_string(one_sided_->points()) +
                      " points and " + std::to_string(one_sided_->checkers()) + " checkers " +
                      (one_sided_->has_gammons() ? "with" : "without") +
                      " gammons, expected at least 6 points and 15 checkers, with gammons");
  }
  if (!two_sided.empty()) two_sided_ = bearoff::TwoSidedDatabase::open(two_sided);
}

bool BearoffLookup::one_sided_covers(const Position& position) const {
  return one_sided_ && fits_both(position, one_sided_->points(), one_sided_->checkers());
}

bool BearoffLookup::two_sided_covers(const Position& position) const {
  return two_sided_ && fits_both(position, two_sided_->points(), two_sided_->checkers());
}

Probabilities BearoffLookup::one_sided(const Position& position) const {
  const int points = one_sided_->points();
  const std::uint32_t roller = index_of(position.roller, points);
  const std::uint32_t other = index_of(position.other, points);
  bearoff::Distribution roller_off{};
  bearoff::Distribution other_off{};
  one_sided_->all_off(roller, roller_off);
  one_sided_->all_off(other, other_off);
  Probabilities p;
  p.win = static_cast<float>(not_later(roller_off, other_off, 0));
  bearoff::Distribution first_off{};
  if (position.other.checkers == kCheckers) {
    one_sided_->first_off(other, first_off);
    p.win_gammon = static_cast<float>(not_later(roller_off, first_off, 0));
  }
  if (position.roller.checkers == kCheckers) {
    one_sided_->first_off(roller, first_off);
    p.lose_gammon = static_cast<float>(not_later(other_off, first_off, 1));
  }
  return p;
}

double BearoffLookup::one_sided_win(const Side& roller, const Side& other) const {
  return not_later(rolls_to_bear_off(roller), rolls_to_bear_off(other), 0);
}

bearoff::TwoSidedEquities BearoffLookup::two_sided(const Position& position) const {
  const int points = two_sided_->points();
  return two_sided_->at(index_of(position.roller, points), index_of(position.other, points));
}

bool BearoffLookup::has(const Side& side) const {
  return one_sided_ && fits(side, one_sided_->points(), one_sided_->checkers());
}

bearoff::Distribution BearoffLookup::rolls_to_bear_off(const Side& side) const {
  bearoff::Distribution rolls{};
  one_sided_->all_off(index_of(side, one_sided_->points()), rolls);
  return rolls;
}

}  // namespace botd::gnubg
