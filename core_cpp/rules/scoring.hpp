// What the end of a game costs its loser, by the server's rules.
#pragma once

#include <cstdint>
#include <span>

#include "rules/board.hpp"
#include "rules/probabilities.hpp"

namespace botd {

enum class Scoring : std::uint8_t {
  kStandard,  // a drop costs the cube; a played-out game one, two or three times the cube by the usual rules
  kBgammon,   // every end, a drop and a resignation too, is counted from the position: see position_cost
};

// What a drop or a resignation costs each side at a position, in multiples of the cube's value (for a drop:
// its value before the double).
struct DropCosts {
  int own = 1;
  int opponent = 1;

  friend constexpr bool operator==(const DropCosts&, const DropCosts&) = default;
};

// Multiple of the cube that bgammon servers charge the own side if it loses on this board, whether played
// out, dropped or resigned: 3 with a checker on the bar or in the opponent's home board (even if others are
// off already), else 2 with none borne off, else 1.
[[nodiscard]] int position_cost(const Board& board);

// 1 and 1 with standard scoring.
[[nodiscard]] DropCosts drop_costs(const Board& board, Scoring scoring);

// game_result() with the points that this scoring counts.
[[nodiscard]] int game_result(const Board& board, Scoring scoring);

// Replaces the values of boards on which the game is over by what this scoring counts; leaves the others.
void count_finished(std::span<const Board> boards, Scoring scoring, std::span<Probabilities> values);

}  // namespace botd
