// GNU Backgammon's Position ID: 14 base-64 characters that hold a board, the player on roll as the second
// side.
#pragma once

#include <string>
#include <string_view>

#include "rules/board.hpp"

namespace botd {

// `board` in the frame of the player on roll; it must be possible (board_error).
[[nodiscard]] std::string position_id(const Board& board);

// The board in the frame of the player on roll. Throws std::invalid_argument, naming what is wrong, for text
// that is not a Position ID and for positions that cannot arise (also both sides shut out on the bar for
// ever).
[[nodiscard]] Board board_from_position_id(std::string_view text);

}  // namespace botd
