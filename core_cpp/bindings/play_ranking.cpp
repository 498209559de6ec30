#include "bindings/play_ranking.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace botd::bindings {
namespace {

// As it is sent, numbers in the machine's own order: the receiver runs on the same one.
struct PackedHeader {
  Board board;
  std::int8_t die1 = 0;
  std::int8_t die2 = 0;
  std::int8_t ply = 0;
  std::uint8_t database = 0;
};

struct PackedEntry {
  double equity = 0.0;
  double cubeless_equity = 0.0;
  Probabilities probabilities;
  Board board;
  std::int8_t ply = 0;
  std::uint8_t padding = 0;
};
static_assert(std::has_unique_object_representations_v<PackedHeader>, "no byte of chance is sent");
static_assert(sizeof(PackedEntry) == 2 * sizeof(double) + sizeof(Probabilities) + sizeof(Board) + 2 &&
              std::is_trivially_copyable_v<PackedEntry>);

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(std::string("ranking: ") + what);
}

constexpr int kDeepest = 100;  // far beyond any search

bool possible_ply(int ply) { return ply >= 0 && ply <= kDeepest; }

bool possible(const RankedBoard& entry) {
  const Probabilities& p = entry.probabilities;
  const std::array<double, 7> numbers = {entry.equity,     entry.cubeless_equity, p.win,           p.win_gammon,
                                         p.win_backgammon, p.lose_gammon,         p.lose_backgammon};
  return possible_ply(entry.ply) &&
         std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

}  // namespace

PlayRanking::PlayRanking(const Board& board, std::pair<int, int> dice, std::vector<RankedBoard> ranked, int ply,
                         bool database, bool has_probabilities)
    : board_(board),
      dice_(dice),
      ranked_(std::move(ranked)),
      ply_(ply),
      database_(database),
      has_probabilities_(has_probabilities),
      dance_(ranked_.size() == 1 && ranked_.front().board == board) {}

const char* PlayRanking::source() const {
  if (legal_count() < 2) return "forced";
  return database_ ? "bearoff" : "search";
}

std::string PlayRanking::packed() const {
  const PackedHeader header{board_, static_cast<std::int8_t>(dice_.first), static_cast<std::int8_t>(dice_.second),
                            static_cast<std::int8_t>(ply_), static_cast<std::uint8_t>(database_)};
  std::string bytes(sizeof header + ranked_.size() * sizeof(PackedEntry), '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  char* to = bytes.data() + sizeof header;
  for (const RankedBoard& entry : ranked_) {
    const PackedEntry packed{entry.equity, entry.cubeless_equity, entry.probabilities, entry.board,
                             static_cast<std::int8_t>(entry.ply)};
    std::memcpy(to, &packed, sizeof packed);
    to += sizeof packed;
  }
  return bytes;
}

PlayRanking PlayRanking::unpacked(std::string_view bytes) {
  PackedHeader header;
  require(bytes.size() > sizeof header && (bytes.size() - sizeof header) % sizeof(PackedEntry) == 0,
          "expected a header and entries");
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.remove_prefix(sizeof header);
  std::vector<RankedBoard> ranked(bytes.size() / sizeof(PackedEntry));
  for (RankedBoard& entry : ranked) {
    PackedEntry packed;
    std::memcpy(&packed, bytes.data(), sizeof packed);
    bytes.remove_prefix(sizeof packed);
    require(packed.padding == 0, "expected nothing between entries");
    entry = {packed.board, packed.equity, packed.cubeless_equity, packed.probabilities, packed.ply};
  }
  require(header.database <= 1, "expected a flag");
  PlayRanking ranking(header.board, {header.die1, header.die2}, std::move(ranked), header.ply,
                      header.database == 1);
  ranking.check();
  ranking.check_results();
  return ranking;
}

void PlayRanking::check() const {
  const auto die = [](int number) { return number >= 1 && number <= 6; };
  require(die(dice_.first) && die(dice_.second), "expected dice from 1 to 6");
  require(possible_ply(ply_), "expected a depth from 0 to 100");
  require(board_error(board_) == nullptr && game_result(board_) == 0, "expected a position of a game");
  require(std::all_of(ranked_.begin(), ranked_.end(), possible), "expected finite values");
}

void PlayRanking::check_results() {
  legal_plays(board_, dice_.first, dice_.second, legal_.emplace());
  if (legal_->empty()) {
    require(dance_, "expected the board as it is");
    return;
  }
  require(legal_->size() == ranked_.size(), "expected every result of the roll");
  std::vector<bool> seen(legal_->size());
  for (const RankedBoard& entry : ranked_) {
    const auto found = std::find_if(legal_->begin(), legal_->end(),
                                    [&entry](const Play& play) { return play.board == entry.board; });
    require(found != legal_->end(), "expected results of the roll");
    const auto place = static_cast<std::size_t>(found - legal_->begin());
    require(!seen[place], "expected every result once");
    seen[place] = true;
  }
}

Play PlayRanking::play(std::size_t i) {
  const Board& wanted = ranked_[i].board;
  if (!legal_) legal_plays(board_, dice_.first, dice_.second, legal_.emplace());
  const auto found =
      std::find_if(legal_->begin(), legal_->end(), [&wanted](const Play& play) { return play.board == wanted; });
  return found == legal_->end() ? Play{.board = wanted} : *found;
}

}  // namespace botd::bindings
