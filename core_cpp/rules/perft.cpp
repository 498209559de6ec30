#include "rules/perft.hpp"

#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "rules/moves.hpp"

namespace botd {
namespace {

struct BoardHash {
  std::size_t operator()(const Board& board) const { return hash_value(board); }
};

// Position to number of sequences that lead there.
using Level = std::unordered_map<Board, std::uint64_t, BoardHash>;

void check_size(const Level& level, std::size_t max_positions) {
  if (level.size() > max_positions)
    throw std::length_error("perft: more than " + std::to_string(max_positions) +
                            " different positions, expected a smaller depth");
}

}  // namespace

PerftCount perft(const Board& board, int depth, std::size_t max_positions) {
  Level level{{board, 1}};
  Level finished;  // in the frame of the side that began
  BoardList boards;
  for (int ply = 0; ply < depth; ++ply) {
    Level next;
    for (const auto& [position, sequences] : level) {
      for (const Roll& roll : kRolls) {
        legal_boards(position, roll.die1, roll.die2, boards);
        if (boards.empty()) next[mirrored(position)] += sequences;
        for (const Board& result : boards) {
          if (game_result(result) != 0) {
            finished[ply % 2 == 0 ? result : mirrored(result)] += sequences;
          } else {
            next[mirrored(result)] += sequences;
          }
        }
      }
      check_size(next, max_positions);
      check_size(finished, max_positions);
    }
    level = std::move(next);
  }
  PerftCount count{0, level.size() + finished.size()};
  for (const auto& [position, sequences] : level) count.leaves += sequences;
  for (const auto& [position, sequences] : finished) count.leaves += sequences;
  return count;
}

}  // namespace botd
