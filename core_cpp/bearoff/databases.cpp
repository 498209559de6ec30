#include "bearoff/databases.hpp"

#include <utility>

#include "bearoff/first_off_table.hpp"
#include "bearoff/index.hpp"

namespace botd::bearoff {
namespace {

constexpr int kHomePoints = 6;

bool all_home_or_off(const Board& board) {
  for (std::size_t i = kHomePoints + 1; i <= kPoints - kHomePoints; ++i)
    if (board[i] != 0) return false;
  return true;
}

// Chance that the first side, which also rolls first, needs at most as many rolls as the second.
// `head_start`: the second one rolls first, so that the first side has to need fewer.
double first_wins(const Distribution& first, const Distribution& second, bool head_start = false) {
  std::uint64_t sum = 0;
  std::uint64_t left = 0;  // the second side needs at least i rolls, with a head start more than i
  for (std::size_t i = kRollCounts; i-- > 0;) {
    if (!head_start) left += second[i];
    sum += first[i] * left;
    if (head_start) left += second[i];
  }
  return static_cast<double>(sum) / (static_cast<double>(kCertain) * kCertain);
}

}  // namespace

Databases::Databases(std::shared_ptr<const OneSidedDatabase> one_sided,
                     std::shared_ptr<const TwoSidedDatabase> two_sided)
    : one_sided_(std::move(one_sided)), two_sided_(std::move(two_sided)) {
  if (one_sided_ && one_sided_->checkers() == kCheckers && !one_sided_->has_gammons())
    first_off_ = std::make_shared<const FirstOffTable>();
}

Databases Databases::open(const std::filesystem::path& one_sided, const std::filesystem::path& two_sided) {
  return {one_sided.empty() ? nullptr : OneSidedDatabase::open(one_sided),
          two_sided.empty() ? nullptr : TwoSidedDatabase::open(two_sided)};
}

std::vector<std::filesystem::path> Databases::files() const {
  std::vector<std::filesystem::path> out;
  if (one_sided_) out.push_back(one_sided_->path());
  if (two_sided_) out.push_back(two_sided_->path());
  return out;
}

bool Databases::covers_two_sided(const Board& board) const {
  return two_sided_ && bearoff::covers(board, two_sided_->points(), two_sided_->checkers());
}

bool Databases::covers_one_sided(const Board& board) const {
  if (!one_sided_ || !bearoff::covers(board, one_sided_->points(), one_sided_->checkers())) return false;
  // Gammons with checkers outside home are known only to a database that has them.
  return one_sided_->has_gammons() || all_home_or_off(board) ||
         (own_borne_off(board) > 0 && opponent_borne_off(board) > 0);
}

std::optional<Probabilities> Databases::on_roll(const Board& board) const {
  if (covers_two_sided(board)) {
    Probabilities p;
    p.win = (two_sided_equities(board).cubeless + 1.0F) / 2.0F;
    return p;
  }
  if (covers_one_sided(board)) return one_sided_outcome(board);
  return std::nullopt;
}

std::optional<Probabilities> Databases::after_play(const Board& board) const {
  const auto p = on_roll(mirrored(board));
  return p ? std::optional(inverted(*p)) : std::nullopt;
}

std::optional<TwoSidedEquities> Databases::money(const Board& board) const {
  if (!covers_two_sided(board) || !two_sided_->cubeful()) return std::nullopt;
  return two_sided_equities(board);
}

TwoSidedEquities Databases::two_sided_equities(const Board& board) const {
  const int points = two_sided_->points();
  return two_sided_->at(own_index(board, points), opponent_index(board, points));
}

Probabilities Databases::one_sided_outcome(const Board& board) const {
  const int points = one_sided_->points();
  const std::uint32_t own_position = own_index(board, points);
  const std::uint32_t opponent_position = opponent_index(board, points);
  Distribution own;
  Distribution opponent;
  one_sided_->all_off(own_position, own);
  one_sided_->all_off(opponent_position, opponent);
  Probabilities p;
  p.win = static_cast<float>(first_wins(own, opponent));
  Distribution first;
  if (opponent_borne_off(board) == 0) {
    first_off(mirrored(board), opponent_position, first);
    p.win_gammon = static_cast<float>(first_wins(own, first));
  }
  if (own_borne_off(board) == 0) {
    first_off(board, own_position, first);
    p.lose_gammon = static_cast<float>(first_wins(opponent, first, true));
  }
  return p;
}

// `board` has all fifteen checkers of its own side on it; `index` is the position's in the database.
void Databases::first_off(const Board& board, std::uint32_t index, Distribution& out) const {
  if (one_sided_->has_gammons()) {
    one_sided_->first_off(index, out);
  } else {
    out = first_off_->at(own_index(board, kHomePoints));
  }
}

}  // namespace botd::bearoff
