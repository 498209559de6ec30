// A backgammon position in the frame of one side.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace botd {

inline constexpr int kPoints = 24;
inline constexpr int kCheckers = 15;
inline constexpr int kOpponentBar = 0;
inline constexpr int kOwnBar = 25;

// points[1..24]: own checkers positive, opposing negative; numbered from the own bear-off end, so own
// checkers move from 24 towards 1. points[25] = own checkers on the bar, points[0] = opposing checkers
// on the bar (both >= 0). Checkers borne off are what is missing to fifteen.
struct Board {
  std::array<std::int8_t, 26> points{};

  [[nodiscard]] constexpr int operator[](std::size_t i) const { return points[i]; }
  [[nodiscard]] constexpr std::int8_t& at(std::size_t i) { return points[i]; }

  friend constexpr auto operator<=>(const Board&, const Board&) = default;
};

[[nodiscard]] Board starting_board();

// The same position seen by the other side.
[[nodiscard]] Board mirrored(const Board& board);

[[nodiscard]] int own_borne_off(const Board& board);
[[nodiscard]] int opponent_borne_off(const Board& board);
[[nodiscard]] int own_pips(const Board& board);
[[nodiscard]] int opponent_pips(const Board& board);

// Contact is broken and nobody is on the bar.
[[nodiscard]] bool is_race(const Board& board);

// All checkers of both sides are in their home boards or off.
[[nodiscard]] bool is_bearoff(const Board& board);

// Points won by the own side if it has borne off everything (1 plain, 2 gammon, 3 backgammon), negative
// if the opposing side has, 0 while the game goes on.
[[nodiscard]] int game_result(const Board& board);

// nullptr if the board is possible, else what is wrong with it (a static text).
[[nodiscard]] const char* board_error(const Board& board);

}  // namespace botd
