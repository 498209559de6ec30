#include "bindings/play_ranking.hpp"

#include <algorithm>

namespace botd::bindings {

PlayRanking::PlayRanking(const Board& board, std::pair<int, int> dice, std::vector<RankedBoard> ranked, int ply,
                         bool database)
    : board_(board),
      dice_(dice),
      ranked_(std::move(ranked)),
      ply_(ply),
      database_(database),
      dance_(ranked_.size() == 1 && ranked_.front().board == board) {}

const char* PlayRanking::source() const {
  if (legal_count() < 2) return "forced";
  return database_ ? "bearoff" : "search";
}

Play PlayRanking::play(std::size_t i) {
  const Board& wanted = ranked_[i].board;
  if (!legal_) legal_plays(board_, dice_.first, dice_.second, legal_.emplace());
  const auto found =
      std::find_if(legal_->begin(), legal_->end(), [&wanted](const Play& play) { return play.board == wanted; });
  return found == legal_->end() ? Play{.board = wanted} : *found;
}

}  // namespace botd::bindings
