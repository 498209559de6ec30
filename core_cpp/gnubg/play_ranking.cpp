#include "gnubg/play_ranking.hpp"

#include <algorithm>
#include <utility>

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

// What most comparisons need, gathered once.
struct Place {
  std::size_t at = 0;
  int ply = 0;
  int left = 0;  // checkers not borne off
  float equity = 0.0F;
  float cubeless = 0.0F;
};

Place place_of(const std::vector<RankedPlay>& plays, std::size_t at) {
  const RankedPlay& play = plays[at];
  return {at, play.ply, kCheckers - own_borne_off(play.board), equity_key(play), cubeless_key(play)};
}

bool stands_above(const std::vector<RankedPlay>& plays, const Place& a, const Place& b) {
  if (a.ply != b.ply) return a.ply > b.ply;
  if ((a.left == 0) != (b.left == 0)) return a.left == 0;
  if (a.equity != b.equity) return a.equity > b.equity;
  if (a.cubeless != b.cubeless) return a.cubeless > b.cubeless;
  if (a.left != b.left) return a.left < b.left;
  const int rearmost_a = rearmost(plays[a.at].board);
  const int rearmost_b = rearmost(plays[b.at].board);
  return rearmost_a != rearmost_b ? rearmost_a < rearmost_b : a.at < b.at;
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
  std::vector<Place> order;
  order.reserve(plays.size());
  for (std::size_t i = 0; i < plays.size(); ++i) order.push_back(place_of(plays, i));
  std::sort(order.begin(), order.end(),
            [&plays](const Place& a, const Place& b) { return stands_above(plays, a, b); });
  std::vector<RankedPlay> sorted;
  sorted.reserve(plays.size());
  for (const Place& place : order) sorted.push_back(plays[place.at]);
  plays = std::move(sorted);
}

}  // namespace botd::gnubg
