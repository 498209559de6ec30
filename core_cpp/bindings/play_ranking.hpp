// The answer to a checker decision as Python gets it: numbers at once, names and chances when asked for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/board.hpp"
#include "rules/moves.hpp"
#include "search/decisions.hpp"

namespace botd::bindings {

// The ranked results of one roll. Belongs to the thread that holds the interpreter's lock.
class PlayRanking {
 public:
  // `ranked`: what a search made of the roll on `board`, never empty; `ply`: the depth of the answer; `database`:
  // the board is in an exact database; `has_probabilities`: of an evaluator that has some, and cubeless equities.
  PlayRanking(const Board& board, std::pair<int, int> dice, std::vector<RankedBoard> ranked, int ply,
              bool database, bool has_probabilities = true);

  [[nodiscard]] std::size_t size() const { return ranked_.size(); }
  [[nodiscard]] const RankedBoard& operator[](std::size_t i) const { return ranked_[i]; }
  [[nodiscard]] const Board& board() const { return board_; }
  // Distinct results; 0 if no checker can move.
  [[nodiscard]] std::size_t legal_count() const { return dance_ ? 0 : ranked_.size(); }
  [[nodiscard]] int ply() const { return ply_; }
  [[nodiscard]] bool has_probabilities() const { return has_probabilities_; }
  // `forced`, `bearoff` or `search`: see botd.engine.types.PlayDecision.
  [[nodiscard]] const char* source() const;

  // All of it in few bytes, for another process of the same program.
  [[nodiscard]] std::string packed() const;
  // Throws std::invalid_argument for anything that no packed() has made: a number out of range, or results that are
  // not all those of the roll.
  static PlayRanking unpacked(std::string_view bytes);

  // The way to the i-th result; without steps if no checker can move.
  [[nodiscard]] Play play(std::size_t i);

 private:
  void check() const;
  void check_results();

  Board board_;
  std::pair<int, int> dice_;
  std::vector<RankedBoard> ranked_;
  int ply_;
  bool database_;
  bool has_probabilities_;
  bool dance_;
  std::optional<PlayList> legal_;  // once a play was asked for
};

}  // namespace botd::bindings
