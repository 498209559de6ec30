// Legal plays of a roll.
//
// All sequences of single-die steps are thought through, those that use most dice count, and if only one die can
// be played, the larger. Order: first seen, where steps are tried from the bar, else from point 1 upwards, and
// (die1, die2) is exhausted before (die2, die1). Each result is built once: which sequences lead where another
// has led before follows from the steps themselves (moves.cpp), so that nothing needs to be looked up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rules/board.hpp"

namespace botd {

inline constexpr int kMaxSteps = 4;

// One checker moved by one die, in the mover's numbering: 25 is the bar, 0 is off.
struct Step {
  std::int8_t from = 0;
  std::int8_t to = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

struct Play {
  Board board;  // result, still in the mover's frame
  std::array<Step, kMaxSteps> steps{};
  std::uint8_t step_count = 0;
};

[[nodiscard]] std::size_t hash_value(const Board& board);

// The results of a roll, with pairwise different boards. Keeps its storage, so one list reused over many rolls
// does not allocate.
template <typename Entry>
class GeneratedList {
 public:
  using value_type = Entry;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const Entry& operator[](std::size_t i) const { return entries_[i]; }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.begin() + static_cast<std::ptrdiff_t>(size_); }
  [[nodiscard]] const Entry* data() const { return entries_.data(); }

  // Dice 1..6. The board must be possible (board_error) and the game not over.
  void generate(const Board& board, int die1, int die2);

 private:
  std::vector<Entry> entries_;  // the first size_ of them count
  std::size_t size_ = 0;
};

extern template class GeneratedList<Board>;
extern template class GeneratedList<Play>;

using PlayList = GeneratedList<Play>;
using BoardList = GeneratedList<Board>;

// All distinct resulting positions with one way of playing each, replacing the content of `plays`.
// Empty if no checker can move.
inline void legal_plays(const Board& board, int die1, int die2, PlayList& plays) {
  plays.generate(board, die1, die2);
}

// The same positions in the same order without the steps; for searches.
inline void legal_boards(const Board& board, int die1, int die2, BoardList& boards) {
  boards.generate(board, die1, die2);
}

// The 21 different rolls, doubles first, then mixed with the smaller die first; `ways` of the 36.
struct Roll {
  int die1;
  int die2;
  int ways;
};
inline constexpr std::array<Roll, 21> kRolls{
    {{1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}, {5, 5, 1}, {6, 6, 1}, {1, 2, 2},
     {1, 3, 2}, {1, 4, 2}, {1, 5, 2}, {1, 6, 2}, {2, 3, 2}, {2, 4, 2}, {2, 5, 2},
     {2, 6, 2}, {3, 4, 2}, {3, 5, 2}, {3, 6, 2}, {4, 5, 2}, {4, 6, 2}, {5, 6, 2}}};

}  // namespace botd
