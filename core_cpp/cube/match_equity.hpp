// Match equity table: chances of winning the match from a score.
#pragma once

#include <array>
#include <span>

namespace botd {

// A table in the terms of gnubg's XML files, extended to matches of 64 points.
//
// Scores are points still needed ("away"). A table holds the chances of player 0 before an ordinary game, or
// before the Crawford game where one side needs one point, and the chances of each player as the trailer
// afterwards. In most tables both players are equals; where they are not, the seat says who is meant.
class MatchEquityTable {
 public:
  static constexpr int kMaxAway = 64;

  // gnubg 1.0x derives the last explicit post-Crawford entry anew instead of using it.
  enum class LastPostCrawford { kUse, kDerive };

  // pre_crawford: length rows of `length` chances, row a-1 and column b-1 for player 0 needing a, player 1 b; with
  // none at all every score is extended. post_crawford: chances of the trailer needing 1, 2, ... points, `length`
  // of them or one less (the last is derived then), up to 64 beside no rows; with post_crawford_1 player 1 has a
  // row of his own. Throws std::invalid_argument naming the entry that is not a probability or out of order
  // (needing fewer points cannot be worse, but for rounding).
  MatchEquityTable(std::span<const double> pre_crawford, std::span<const double> post_crawford,
                   LastPostCrawford last = LastPostCrawford::kUse,
                   std::span<const double> post_crawford_1 = {});

  [[nodiscard]] int explicit_length() const { return length_; }
  // M(a,b) + M(b,a) = 1 everywhere and one post-Crawford row: seats make no difference.
  [[nodiscard]] bool symmetric() const { return symmetric_; }

  // Chances of the player in `seat` (0 or 1) who needs `away`, the other side needing `opponent_away`;
  // post_crawford: the Crawford game is over, so a side that needs one point is looked up in the post-Crawford
  // row. Needs of 0 or less are a match won. Needs above kMaxAway count as kMaxAway.
  [[nodiscard]] double chances(int away, int opponent_away, bool post_crawford, int seat = 0) const;

 private:
  using Row = std::array<double, kMaxAway + 1>;

  // The first `length_` entries and how they go on.
  [[nodiscard]] Row post_crawford_row(std::span<const double> entries, LastPostCrawford last) const;

  int length_ = 0;
  bool symmetric_ = true;
  std::array<Row, kMaxAway + 1> pre_crawford_{};  // of player 0
  std::array<Row, 2> post_crawford_{};            // of each player as the trailer
};

}  // namespace botd
