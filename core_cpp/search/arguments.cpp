#include "search/arguments.hpp"

#include <stdexcept>
#include <string>

#include "cube/match_equity.hpp"
#include "search/settings.hpp"

namespace botd {

void check_state(const CubeState& state) {
  if (state.value < 1 || state.value > kMaxCube || (state.value & (state.value - 1)) != 0) {
    throw std::invalid_argument("cube value: expected a power of two from 1 to " + std::to_string(kMaxCube) +
                                ", got " + std::to_string(state.value));
  }
  if (state.max_value < 0 || state.max_value > kMaxCube || (state.max_value & (state.max_value - 1)) != 0 ||
      (state.max_value > 0 && state.value > state.max_value)) {
    throw std::invalid_argument("largest cube: expected a power of two from the cube's value (" +
                                std::to_string(state.value) + ") to " + std::to_string(kMaxCube) + ", got " +
                                std::to_string(state.max_value));
  }
  const bool money = state.own_away == 0 && state.opponent_away == 0;
  const auto possible = [](int away) { return away >= 1 && away <= MatchEquityTable::kMaxAway; };
  if (!money && !(possible(state.own_away) && possible(state.opponent_away))) {
    throw std::invalid_argument("score: expected 1 to " + std::to_string(MatchEquityTable::kMaxAway) +
                                " points still needed by each side, got " + std::to_string(state.own_away) +
                                " and " + std::to_string(state.opponent_away));
  }
  if (money && state.scoring != Scoring::kStandard) {
    throw std::invalid_argument("scoring: bgammon servers have matches only, expected a match");
  }
  if (state.seat > 1) {
    throw std::invalid_argument("seat: expected 0 or 1, got " + std::to_string(state.seat));
  }
}

void check_question(const Board& board, const CubeState& state, int ply) {
  if (const char* error = board_error(board)) throw std::invalid_argument(std::string("board: ") + error);
  if (game_result(board) != 0)
    throw std::invalid_argument("board: the game is over, nothing is to be decided");
  if (ply < 0 || ply > kMaxPly) {
    throw std::invalid_argument("ply: expected 0 to " + std::to_string(kMaxPly) + ", got " +
                                std::to_string(ply));
  }
  check_state(state);
}

void check_dice(int die1, int die2) {
  if (die1 < 1 || die1 > 6 || die2 < 1 || die2 > 6) {
    throw std::invalid_argument("dice: expected two numbers from 1 to 6, got " + std::to_string(die1) +
                                " and " + std::to_string(die2));
  }
}

void check_threads(int threads) {
  if (threads < 1 || threads > kMaxThreads) {
    throw std::invalid_argument("threads: expected 1 to " + std::to_string(kMaxThreads) + ", got " +
                                std::to_string(threads));
  }
}

}  // namespace botd
