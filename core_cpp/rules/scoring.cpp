#include "rules/scoring.hpp"

#include <cstddef>

namespace botd {

int position_cost(const Board& board) {
  if (board[kOwnBar] > 0) return 3;
  for (std::size_t i = 19; i <= kPoints; ++i) {
    if (board[i] > 0) return 3;
  }
  return own_borne_off(board) == 0 ? 2 : 1;
}

DropCosts drop_costs(const Board& board, Scoring scoring) {
  if (scoring == Scoring::kStandard) return {};
  return {position_cost(board), position_cost(mirrored(board))};
}

int game_result(const Board& board, Scoring scoring) {
  const int result = game_result(board);
  if (scoring == Scoring::kStandard || result == 0) return result;
  return result > 0 ? position_cost(mirrored(board)) : -position_cost(board);
}

void count_finished(std::span<const Board> boards, Scoring scoring, std::span<Probabilities> values) {
  if (scoring == Scoring::kStandard) return;
  for (std::size_t i = 0; i < boards.size(); ++i) {
    if (const int result = game_result(boards[i], scoring); result != 0) {
      values[i] = terminal_probabilities(result);
    }
  }
}

}  // namespace botd
