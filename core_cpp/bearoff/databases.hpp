// What a pair of bear-off databases knows about a position.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "bearoff/one_sided.hpp"
#include "bearoff/two_sided.hpp"
#include "rules/board.hpp"
#include "rules/probabilities.hpp"

namespace botd::bearoff {

class FirstOffTable;

// A one-sided and a two-sided database, either of which may be missing (null). Immutable, for any thread;
// copies share everything. Where both have a position the two-sided one answers, because it is exact:
// one-sided values suppose that each side plays for the fewest rolls on average, whatever the other one does.
class Databases {
 public:
  Databases() = default;
  // Takes half a second for a one-sided database without gammon distributions, which are then computed.
  Databases(std::shared_ptr<const OneSidedDatabase> one_sided,
            std::shared_ptr<const TwoSidedDatabase> two_sided);

  // Opens the files; an empty path stands for no database. Throws DataError.
  [[nodiscard]] static Databases open(const std::filesystem::path& one_sided,
                                      const std::filesystem::path& two_sided);

  [[nodiscard]] const std::shared_ptr<const OneSidedDatabase>& one_sided() const { return one_sided_; }
  [[nodiscard]] const std::shared_ptr<const TwoSidedDatabase>& two_sided() const { return two_sided_; }
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

  [[nodiscard]] bool covers_two_sided(const Board& board) const;
  [[nodiscard]] bool covers_one_sided(const Board& board) const;
  [[nodiscard]] bool covers(const Board& board) const {
    return covers_two_sided(board) || covers_one_sided(board);
  }

  // Cubeless outcome, the own side on roll; nothing if no database covers the board. Backgammons cannot
  // happen.
  [[nodiscard]] std::optional<Probabilities> on_roll(const Board& board) const;
  // The same, still seen by the own side, with the opponent on roll: the value of a board after the own
  // side's play.
  [[nodiscard]] std::optional<Probabilities> after_play(const Board& board) const;

  // Exact money equities of the own side on roll; nothing without a cubeful two-sided database that covers
  // the board. They suppose that it rolls now and doubles, if ever, from its next turn on: doubling now is
  // worth min(1, 2 x opponent).
  [[nodiscard]] std::optional<TwoSidedEquities> money(const Board& board) const;

 private:
  [[nodiscard]] TwoSidedEquities two_sided_equities(const Board& board) const;
  [[nodiscard]] Probabilities one_sided_outcome(const Board& board) const;
  void first_off(const Board& board, std::uint32_t index, Distribution& out) const;

  std::shared_ptr<const OneSidedDatabase> one_sided_;
  std::shared_ptr<const TwoSidedDatabase> two_sided_;
  std::shared_ptr<const FirstOffTable> first_off_;  // if the database has none
};

}  // namespace botd::bearoff
