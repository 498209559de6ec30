// The two generations of gnubg whose numbers are reproduced.
#pragma once

#include <cstdint>

namespace botd::gnubg {

// kA: gnubg 1.07 with weights 1.00; kB: gnubg 1.08 with weights 1.01. They differ in how the board is judged
// that waits for a hit checker (hitting.hpp), in cube efficiency and in move filters.
enum class Profile : std::uint8_t { kA, kB };

}  // namespace botd::gnubg
