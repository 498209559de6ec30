// Which kind of position it is, hence which network or database values it.
#pragma once

#include <cstdint>

#include "gnubg/side.hpp"

namespace botd::gnubg {

// From the most exact value to the least.
enum class PositionClass : std::uint8_t { kOver, kTwoSided, kOneSided, kRace, kCrashed, kContact };

// "over", "two_sided", "one_sided", "race", "crashed", "contact".
[[nodiscard]] const char* name(PositionClass position_class);

// The class without regard to databases: over, race, crashed or contact.
[[nodiscard]] PositionClass class_without_databases(const Position& position);

// The sides can still meet. Both must have checkers.
[[nodiscard]] bool has_contact(const Side& a, const Side& b);

}  // namespace botd::gnubg
