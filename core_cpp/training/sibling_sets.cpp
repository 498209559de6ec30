#include "training/sibling_sets.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "cube/cube_value.hpp"
#include "rules/moves.hpp"
#include "rules/scoring.hpp"

namespace botd::training {
namespace {

// One turn in so many is played by chance among the plays within kTolerance of the best, one in so many among all.
constexpr std::uint64_t kNearlyBestEvery = 4;
constexpr std::uint64_t kAnyEvery = 24;
constexpr float kTolerance = 0.15F;
constexpr std::array<double, 1> kNoMatch{0.5};

// Self-play with a generator of random numbers whose draws are the same everywhere.
class Player {
 public:
  Player(const StaticSource& source, std::uint64_t seed)
      : source_(source), scratch_(source.make_scratch()), random_(seed) {}

  // One game; its sets are added to `sets`.
  void play_game(SiblingSets& sets) {
    Board board = starting_board();
    bool opening = true;
    while (game_result(board) == 0) {
      int die1 = draw_die();
      int die2 = draw_die();
      while (opening && die1 == die2) die2 = draw_die();
      opening = false;
      legal_boards(board, die1, die2, plays_);
      if (!plays_.empty()) {
        value_plays(board);
        if (plays_.size() > 1) record(board, sets);
        board = plays_[choose()];
      }
      board = mirrored(board);
    }
  }

 private:
  std::size_t draw(std::uint64_t below) { return static_cast<std::size_t>(random_() % below); }
  int draw_die() { return 1 + static_cast<int>(draw(6)); }

  void value_plays(const Board& board) {
    values_.resize(plays_.size());
    const std::span<const Board> boards(plays_.data(), plays_.size());
    source_.evaluate(boards, StaticSource::kOwnNetwork, board, values_, *scratch_);
    count_finished(boards, Scoring::kStandard, values_);
  }

  void record(const Board& board, SiblingSets& sets) const {
    sets.unmoved.push_back(board);
    sets.network.push_back(static_cast<std::uint8_t>(source_.route(board)));
    sets.size.push_back(static_cast<std::uint16_t>(plays_.size()));
    for (std::size_t i = 0; i < plays_.size(); ++i) {
      sets.boards.push_back(plays_[i]);
      sets.cubeless.push_back(cubeless_equity(values_[i]));
      sets.cubeful.push_back(static_cast<float>(money_.value(values_[i], cube_efficiency(plays_[i]))));
    }
  }

  std::size_t choose() {
    if (draw(kAnyEvery) == 0) return draw(plays_.size());
    std::size_t best = 0;
    for (std::size_t i = 1; i < values_.size(); ++i)
      if (cubeless_equity(values_[i]) > cubeless_equity(values_[best])) best = i;
    if (draw(kNearlyBestEvery) != 0) return best;
    near_.clear();
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (cubeless_equity(values_[i]) >= cubeless_equity(values_[best]) - kTolerance) near_.push_back(i);
    return near_[draw(near_.size())];
  }

  const StaticSource& source_;
  std::unique_ptr<StaticSource::Scratch> scratch_;
  std::mt19937_64 random_;
  CubeValue money_{CubeState{}, MatchEquityTable({}, kNoMatch)};  // money play looks nothing up
  BoardList plays_;
  std::vector<Probabilities> values_;
  std::vector<std::size_t> near_;
};

}  // namespace

SiblingSets self_played_sets(const StaticSource& source, std::uint64_t seed, std::size_t sets) {
  SiblingSets result;
  Player player(source, seed);
  while (result.size.size() < sets) player.play_game(result);
  return result;
}

}  // namespace botd::training
