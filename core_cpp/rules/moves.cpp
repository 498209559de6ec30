// Why no result is built twice. Steps that do not bear off change the own checkers by "one less on s, one more on
// s - d"; write m(s) for how many steps leave point s.
//
// Doubles: from the top point down, the result tells m of every point (also if checkers bear off), so results and
// sets of steps are the same thing, and so are the blots hit. Of the orders of one set only the first is wanted,
// that is the lexicographically smallest: a step from a point is left out if it was possible before an earlier
// step from a higher point, since then it could have been made there.
//
// Mixed dice: two different sets of steps lead to the same own checkers only if one checker goes all the way in one
// of them, a to a - d1 - d2. The other may be the same way over the other point; or a second checker on that
// point, a - d2 or a - d1, has gone on and the first has taken its place. The blots hit may still differ. Which of
// them comes first depends on the order of the dice alone. Only where checkers may leave the board there are
// further cases; there the few results are compared.
#include "rules/moves.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "rules/board_bits.hpp"

namespace botd {
namespace {

constexpr std::size_t kInitialEntries = 64;
constexpr std::uint32_t kBarBit = 1U << kOwnBar;
constexpr std::uint32_t kBeyondHome = ~0x7FU;

constexpr std::uint32_t bit(int place) { return 1U << place; }
constexpr bool has(std::uint32_t word, int place) { return ((word >> place) & 1U) != 0; }
// Smallest set bit; `word` must not be 0.
constexpr int lowest(std::uint32_t word) { return std::countr_zero(word); }

// A board in two registers, the second from index 10 on: together they cover its 26 places exactly.
using Lane [[gnu::vector_size(16)]] = std::int8_t;
constexpr std::size_t kSecondLane = 10;

struct Lanes {
  Lane first;
  Lane second;
};

Lanes load(const Board& board) {
  Lanes lanes;
  std::memcpy(&lanes.first, board.points.data(), sizeof lanes.first);
  std::memcpy(&lanes.second, board.points.data() + kSecondLane, sizeof lanes.second);
  return lanes;
}

void store(const Lanes& lanes, Board& board) {
  std::memcpy(board.points.data(), &lanes.first, sizeof lanes.first);
  std::memcpy(board.points.data() + kSecondLane, &lanes.second, sizeof lanes.second);
}

// What a step adds to a board, by die - 1, place left, and whether it hits.
using Changes = std::array<std::array<std::array<Board, 2>, 26>, 6>;

constexpr Changes make_changes() {
  Changes changes{};
  for (std::size_t die = 1; die <= 6; ++die) {
    for (std::size_t from = 1; from <= kOwnBar; ++from) {
      auto& [quiet, hit] = changes[die - 1][from];
      quiet.at(from) = hit.at(from) = -1;
      if (from <= die) continue;  // off
      quiet.at(from - die) = 1;
      hit.at(from - die) = 2;
      hit.at(kOpponentBar) = 1;
    }
  }
  return changes;
}
constexpr Changes kChanges = make_changes();

Lanes after_step(const Lanes& board, std::uint32_t blots, int from, int die) {
  const int to = from - die;
  const std::size_t hit = to > 0 && has(blots, to) ? 1 : 0;
  const Lanes change = load(kChanges[static_cast<std::size_t>(die - 1)][static_cast<std::size_t>(from)][hit]);
  return {board.first + change.first, board.second + change.second};
}

// Places a step with `die` can leave. Bit i: own checkers on i, the bar included; `blocked`: two or more opponents.
std::uint32_t sources(std::uint32_t own, std::uint32_t blocked, int die) {
  if ((own & kBarBit) != 0) return has(blocked, kOwnBar - die) ? 0 : kBarBit;
  std::uint32_t found = own & (~1U << die) & ~(blocked << die);
  if ((own & kBeyondHome) == 0 && own != 0) {
    const int highest = 31 - std::countl_zero(own);
    found |= own & bit(std::min(die, highest));
  }
  return found;
}

template <typename Entry>
class Generator {
 public:
  Generator(const Board& board, std::vector<Entry>& entries)
      : entries_(entries), board_(load(board)), blocked_(places_below(board, -1)) {
    blots_ = places_below(board, 0) & ~blocked_;
    for (std::size_t k = 0; k < own_.size(); ++k)
      own_[k] = places_above(board, static_cast<int>(k)) & ~bit(kOpponentBar);
  }

  std::size_t mixed(int die1, int die2);
  std::size_t doubles(int die);

 private:
  // own[k]: more than k checkers there. Four steps are too few to show that higher counts are not kept.
  using Counts = std::array<std::uint32_t, kMaxSteps>;

  struct Position {
    Lanes board;
    Counts own;
    std::uint32_t blots;    // of the opponent
    std::uint32_t skipped;  // places whose turn has passed
  };

  [[nodiscard]] std::uint32_t own_after(int from, int die) const {
    const std::uint32_t left = own_[0] & ~(bit(from) & ~own_[1]);
    return from > die ? left | bit(from - die) : left;
  }

  void play_two(int from, int die, int second, std::uint32_t second_sources, bool compare);
  void play_on(const Position& position, int die, std::size_t used);
  void add(const Lanes& board, std::size_t steps);
  void add_if_new(const Lanes& board, std::size_t steps);

  void note(std::size_t i, int from, int die) {
    if constexpr (std::is_same_v<Entry, Play>)
      steps_[i] = {static_cast<std::int8_t>(from), static_cast<std::int8_t>(std::max(from - die, 0))};
  }

  std::vector<Entry>& entries_;
  std::size_t size_ = 0;
  Lanes board_;
  Counts own_{};
  std::uint32_t blocked_;
  std::uint32_t blots_ = 0;
  std::array<Step, kMaxSteps> steps_{};
  std::size_t most_steps_ = 0;  // of the doubles found
};

template <typename Entry>
void Generator<Entry>::add(const Lanes& board, std::size_t steps) {
  if (size_ == entries_.size()) entries_.resize(std::max(kInitialEntries, 2 * size_));
  Entry& entry = entries_[size_++];
  if constexpr (std::is_same_v<Entry, Board>) {
    store(board, entry);
  } else {
    store(board, entry.board);
    entry.steps = {};
    std::copy_n(steps_.begin(), steps, entry.steps.begin());
    entry.step_count = static_cast<std::uint8_t>(steps);
  }
}

template <typename Entry>
void Generator<Entry>::add_if_new(const Lanes& board, std::size_t steps) {
  add(board, steps);
  const auto board_at = [this](std::size_t i) -> const Board& {
    if constexpr (std::is_same_v<Entry, Board>) {
      return entries_[i];
    } else {
      return entries_[i].board;
    }
  };
  const Board& added = board_at(size_ - 1);
  for (std::size_t i = 0; i + 1 < size_; ++i) {
    if (std::memcmp(&board_at(i), &added, sizeof added) == 0) {
      --size_;
      return;
    }
  }
}

template <typename Entry>
void Generator<Entry>::play_two(int from, int die, int second, std::uint32_t second_sources, bool compare) {
  const Lanes middle = after_step(board_, blots_, from, die);
  const std::uint32_t blots = from > die ? blots_ & ~bit(from - die) : blots_;
  note(0, from, die);
  for (; second_sources != 0; second_sources &= second_sources - 1) {
    const int next = lowest(second_sources);
    note(1, next, second);
    const Lanes result = after_step(middle, blots, next, second);
    if (compare) {
      add_if_new(result, 2);
    } else {
      add(result, 2);
    }
  }
}

template <typename Entry>
std::size_t Generator<Entry>::mixed(int die1, int die2) {
  const std::uint32_t own = own_[0];
  const std::uint32_t outside = own & kBeyondHome;
  // At most one checker, and nobody on the bar.
  const bool bears_off = (outside & (outside - 1)) == 0 && (outside & (own_[1] | kBarBit)) == 0;
  const bool on_bar = (own & kBarBit) != 0;

  // (die1, die2). One checker all the way from a repeats: from a - d2 first, then a to its place.
  const std::uint32_t repeated =
      bears_off || on_bar ? 0 : (own << die2) & ~(blots_ << die1);
  for (std::uint32_t word = sources(own, blocked_, die1); word != 0; word &= word - 1) {
    const int from = lowest(word);
    std::uint32_t next = sources(own_after(from, die1), blocked_, die2);
    if (has(repeated, from)) next &= ~bit(from - die1);
    play_two(from, die1, die2, next, bears_off);
  }

  // (die2, die1). Two checkers, or one with the other's place taken, have had their turn. New is one checker all
  // the way over a point that the other order could not use or where it hits differently; and after entering,
  // everything that has not entered on the same point.
  std::uint32_t word = sources(own, blocked_, die2);
  const std::uint32_t differs = ((blocked_ | blots_) << die1) | (blots_ << die2);
  if (!bears_off && !on_bar) word &= differs & ~(own << die2);
  for (; word != 0; word &= word - 1) {
    const int from = lowest(word);
    std::uint32_t next = sources(own_after(from, die2), blocked_, die1);
    if (on_bar) {
      next &= ~kBarBit;
      if (!has(differs, kOwnBar)) next &= ~bit(kOwnBar - die2);
    } else if (!bears_off) {
      next &= bit(from - die2);
    }
    play_two(from, die2, die1, next, bears_off);
  }

  for (const int die : {std::max(die1, die2), std::min(die1, die2)}) {
    if (size_ != 0) break;
    for (std::uint32_t single = sources(own, blocked_, die); single != 0; single &= single - 1) {
      const int from = lowest(single);
      note(0, from, die);
      add(after_step(board_, blots_, from, die), 1);
    }
  }
  return size_;
}

template <typename Entry>
std::size_t Generator<Entry>::doubles(int die) {
  play_on({board_, own_, blots_, 0}, die, 0);
  return size_;
}

// Steps with `die` from a position reached by `used` of them, depth first.
template <typename Entry>
void Generator<Entry>::play_on(const Position& position, int die, std::size_t used) {
  const std::uint32_t possible = sources(position.own[0], blocked_, die);
  std::uint32_t word = possible & ~position.skipped;
  if (used + 1 == kMaxSteps) {
    if (word != 0 && most_steps_ < kMaxSteps) {
      most_steps_ = kMaxSteps;
      size_ = 0;
    }
    for (; word != 0; word &= word - 1) {
      const int from = lowest(word);
      note(used, from, die);
      add(after_step(position.board, position.blots, from, die), kMaxSteps);
    }
    if (possible != 0) return;
  }
  if (possible == 0) {
    if (used == 0 || used < most_steps_) return;
    if (used > most_steps_) {
      most_steps_ = used;
      size_ = 0;
    }
    add(position.board, used);
    return;
  }
  for (; word != 0; word &= word - 1) {
    const int from = lowest(word);
    Position next = position;
    next.board = after_step(position.board, position.blots, from, die);
    next.skipped |= possible & (bit(from) - 1);
    const std::uint32_t left = bit(from);
    const std::uint32_t reached = from > die ? bit(from - die) : 0;
    for (std::size_t k = 0; k + 1 < next.own.size(); ++k)
      next.own[k] = (next.own[k] & ~left) | (next.own[k + 1] & left);
    next.own.back() &= ~left;
    for (std::size_t k = next.own.size() - 1; k > 0; --k) next.own[k] |= next.own[k - 1] & reached;
    next.own[0] |= reached;
    next.blots &= ~reached;
    note(used, from, die);
    play_on(next, die, used + 1);
  }
}

}  // namespace

std::size_t hash_value(const Board& board) {
  std::array<std::uint64_t, 4> words{};
  std::memcpy(words.data(), board.points.data(), board.points.size());
  std::uint64_t h = words[0] * 0x9E3779B97F4A7C15U;
  h = (std::rotl(h, 29) ^ words[1]) * 0xBF58476D1CE4E5B9U;
  h = (std::rotl(h, 31) ^ words[2]) * 0x94D049BB133111EBU;
  h = (std::rotl(h, 27) ^ words[3]) * 0xD6E8FEB86659FD93U;
  return static_cast<std::size_t>(h ^ (h >> 32));
}

template <typename Entry>
void GeneratedList<Entry>::generate(const Board& board, int die1, int die2) {
  Generator<Entry> generator(board, entries_);
  size_ = die1 == die2 ? generator.doubles(die1) : generator.mixed(die1, die2);
}

template class GeneratedList<Board>;
template class GeneratedList<Play>;

}  // namespace botd
