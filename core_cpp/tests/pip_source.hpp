// A cheap evaluator for tests of the search.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "cube/cube_state.hpp"
#include "cube/match_equity.hpp"
#include "rules/board.hpp"
#include "search/static_source.hpp"

namespace botd::testing {

// A cheap evaluator with some shape: pips decide, blots cost, gammons follow the race.
class PipSource : public StaticSource {
 public:
  class Nothing final : public Scratch {};

  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Nothing>(); }
  int route(const Board&) const override { return 0; }
  int pinned_network(const Board&) const override { return kOwnNetwork; }
  bool exact(const Board&) const override { return false; }

  static Probabilities value(const Board& board) {
    if (const int result = game_result(board); result != 0) return terminal_probabilities(result);
    int blots = 0;
    for (std::size_t i = 1; i <= 24; ++i) blots += board[i] == 1 ? 1 : 0;
    const float lead = static_cast<float>(opponent_pips(board) - own_pips(board) - 3 * blots) / 120.0F;
    Probabilities p;
    p.win = std::clamp(0.5F + lead, 0.01F, 0.99F);
    p.win_gammon = p.win * 0.2F;
    p.lose_gammon = (1.0F - p.win) * 0.15F;
    p.win_backgammon = p.win_gammon * 0.05F;
    return p;
  }

  void evaluate(std::span<const Board> boards, int, const Board&, std::span<Probabilities> out,
                Scratch&) const override {
    std::transform(boards.begin(), boards.end(), out.begin(), value);
  }
  void evaluate_pinned(std::span<const Board> boards, int, const Board& unmoved, std::span<Probabilities> out,
                       Scratch& scratch) const override {
    evaluate(boards, 0, unmoved, out, scratch);
  }
  Probabilities clamped(const Probabilities& p, const Board& board) const override {
    Probabilities q = p;
    if (own_borne_off(board) > 0) q.lose_gammon = q.lose_backgammon = 0.0F;
    if (opponent_borne_off(board) > 0) q.win_gammon = q.win_backgammon = 0.0F;
    return q;
  }
  Probabilities nested(const Probabilities& p) const override { return p; }
  Probabilities exact_pre_roll(const Board& board) const override { return inverted(value(mirrored(board))); }
  double rough_value(const Board& board, bool) const override { return -own_pips(board); }
};

inline MatchEquityTable small_table() {
  return {std::vector<double>{0.5, 0.68, 0.75, 0.32, 0.5, 0.6, 0.25, 0.4, 0.5},
          std::vector<double>{0.5, 0.49, 0.32}};
}

inline Board late_game() {
  Board board;
  board.at(1) = 2;
  board.at(3) = 2;
  board.at(8) = 1;
  board.at(20) = 1;
  board.at(22) = -2;
  board.at(15) = -1;
  board.at(24) = -1;
  return board;
}

inline CubeState short_match() {
  CubeState state;
  state.own_away = 3;
  state.opponent_away = 2;
  return state;
}

}  // namespace botd::testing
