// Match equity table: chances of winning the match from a score.
#pragma once

#include <array>
#include <span>

namespace botd {

// A table of Kazaross' kind (gnubg's XML files), extended to matches of 64 points.
//
// Scores are points still needed ("away"). A table holds the chances of a side before an ordinary game, or
// before the Crawford game where one side needs one point, and the chances of the trailer afterwards.
class MatchEquityTable {
 public:
  static constexpr int kMaxAway = 64;

  // gnubg 1.0x derives the last explicit post-Crawford entry anew instead of using it.
  enum class LastPostCrawford { kUse, kDerive };

  // pre_crawford: length rows of `length` chances, row a-1 and column b-1 for a side needing a against b.
  // post_crawford: `length` chances of the trailer needing 1, 2, ... points.
  // Throws std::invalid_argument naming the entry that is not a probability, or where the table is not
  // symmetric (M(a,b) + M(b,a) = 1) or not ordered.
  MatchEquityTable(std::span<const double> pre_crawford, std::span<const double> post_crawford,
                   LastPostCrawford last = LastPostCrawford::kUse);

  [[nodiscard]] int explicit_length() const { return length_; }

  // Chances of the side that needs `away`, the other side needing `opponent_away`; post_crawford: the
  // Crawford game is over, so a side that needs one point is looked up in the post-Crawford row.
  // Needs of 0 or less are a match won. Needs above kMaxAway count as kMaxAway.
  [[nodiscard]] double chances(int away, int opponent_away, bool post_crawford) const;

 private:
  int length_ = 0;
  std::array<std::array<double, kMaxAway + 1>, kMaxAway + 1> pre_crawford_{};
  std::array<double, kMaxAway + 1> post_crawford_{};
};

}  // namespace botd
