// Which plays a search looks at after the pruning network has valued all of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace botd::gnubg {

// How many of n plays are kept: 5 and the binary logarithm of n. n >= 1.
[[nodiscard]] std::size_t kept_plays(std::size_t n);

// Places of the `count` plays with the smallest values (the opponent's equity) into `slots`, in the order in
// which gnubg goes through them; it decides between equal plays (gnubg-evaluator specification 9.4).
void select_best(std::span<const float> values, std::size_t count, std::vector<std::size_t>& slots);

}  // namespace botd::gnubg
