#include "gnubg/position_class.hpp"

namespace botd::gnubg {
namespace {

constexpr int kFewCheckers = 6;

// At most six checkers besides those that sit out of play on the ace and deuce points.
bool is_crashed(const Side& side) {
  const int total = side.checkers;
  const int ace = side[0];
  const int deuce = side[1];
  if (total <= kFewCheckers) return true;
  if (ace >= 2) return total <= kFewCheckers + ace || (deuce >= 2 && 1 + total - ace - deuce <= kFewCheckers);
  return total <= kFewCheckers - 1 + deuce;
}

}  // namespace

const char* name(PositionClass position_class) {
  switch (position_class) {
    case PositionClass::kOver:
      return "over";
    case PositionClass::kTwoSided:
      return "two_sided";
    case PositionClass::kOneSided:
      return "one_sided";
    case PositionClass::kRace:
      return "race";
    case PositionClass::kCrashed:
      return "crashed";
    case PositionClass::kContact:
      return "contact";
  }
  return "over";
}

bool has_contact(const Side& a, const Side& b) { return a.back() + b.back() > 22; }

PositionClass class_without_databases(const Position& position) {
  if (position.roller.checkers == 0 || position.other.checkers == 0) return PositionClass::kOver;
  if (!has_contact(position.roller, position.other)) return PositionClass::kRace;
  return is_crashed(position.other) || is_crashed(position.roller) ? PositionClass::kCrashed
                                                                   : PositionClass::kContact;
}

}  // namespace botd::gnubg
