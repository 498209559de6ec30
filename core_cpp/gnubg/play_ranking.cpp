#include "gnubg/play_ranking.hpp"

#include <algorithm>

namespace botd::gnubg {
namespace {

// Equities are compared in single precision: in lost positions many plays are worth exactly the same.
float equity_key(const RankedPlay& play) { return static_cast<float>(play.equity); }
float cubeless_key(const RankedPlay& play) { return static_cast<float>(play.cubeless); }

int rearmost(const Board& board) {
  for (int i = kOwnBar; i >= 1; --i) {
    if (board[static_cast<std::size_t>(i)] > 0) return i;
  }
  return 0;
}

bool stands_above(const RankedPlay& a, const RankedPlay& b) {
  if (a.ply != b.ply) return a.ply > b.ply;
  const int left_a = kCheckers - own_borne_off(a.board);
  const int left_b = kCheckers - own_borne_off(b.board);
  if ((left_a == 0) != (left_b == 0)) return left_a == 0;
  if (equity_key(a) != equity_key(b)) return equity_key(a) > equity_key(b);
  if (cubeless_key(a) != cubeless_key(b)) return cubeless_key(a) > cubeless_key(b);
  if (left_a != left_b) return left_a < left_b;
  return rearmost(a.board) < rearmost(b.board);
}

}  // namespace

void keep_best(const std::vector<RankedPlay>& plays, const FilterStage& stage,
               std::vector<std::size_t>& places) {
  std::stable_sort(places.begin(), places.end(), [&plays](std::size_t a, std::size_t b) {
    if (equity_key(plays[a]) != equity_key(plays[b])) return equity_key(plays[a]) > equity_key(plays[b]);
    return cubeless_key(plays[a]) > cubeless_key(plays[b]);
  });
  const float limit = equity_key(plays[places.front()]) - static_cast<float>(stage.threshold);
  std::size_t kept = std::min(static_cast<std::size_t>(stage.accept), places.size());
  const std::size_t most = std::min(kept + static_cast<std::size_t>(stage.extra), places.size());
  while (kept < most && !(equity_key(plays[places[kept]]) < limit)) ++kept;
  places.resize(kept);
}

void sort_for_display(std::vector<RankedPlay>& plays) {
  std::stable_sort(plays.begin(), plays.end(), stands_above);
}

}  // namespace botd::gnubg
