#include "gnubg/plays.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace botd::gnubg {
namespace {

constexpr int kStepsOfDouble = 4;
constexpr std::uint32_t kEverywhere = ~0U;

constexpr std::uint32_t bit(int point) { return 1U << point; }

// Highest set bit; `bits` must not be 0.
int highest(std::uint32_t bits) { return 31 - std::countl_zero(bits); }

// A random looking number for every place a checker can stand; a position's hash is their sum.
constexpr std::array<std::uint64_t, 52> make_keys() {
  std::array<std::uint64_t, 52> keys{};
  std::uint64_t state = 0;
  for (auto& key : keys) {  // SplitMix64
    std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    key = z ^ (z >> 31);
  }
  return keys;
}
constexpr std::array<std::uint64_t, 52> kKeys = make_keys();

bool same(const Board& a, const Board& b) {
  // Four words of eight points, the last two overlapping.
  std::uint64_t difference = 0;
  for (const std::size_t at : {0U, 8U, 16U, 18U}) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, a.points.data() + at, sizeof x);
    std::memcpy(&y, b.points.data() + at, sizeof y);
    difference |= x ^ y;
  }
  return difference == 0;
}

std::uint64_t own_key(int point) { return kKeys[static_cast<std::size_t>(point)]; }
std::uint64_t opponent_key(int point) { return kKeys[static_cast<std::size_t>(point) + 26]; }

}  // namespace

void PlayTable::start(const Board& board) {
  boards_.clear();
  turned_.clear();
  entries_.clear();
  if (++generation_ == 0) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    generation_ = 1;
  }
  if (slots_.empty()) grow();
  list_ = 0;
  set_up(start_, board);
}

void PlayTable::set_up(State& state, const Board& board) {
  state = {board, 0, 0, 0};
  for (int p = 1; p <= kOwnBar; ++p) {
    const int count = board[static_cast<std::size_t>(p)];
    if (count > 0) {
      state.own |= bit(p);
      state.hash += static_cast<std::uint64_t>(count) * own_key(p);
    } else if (count < 0) {
      if (count < -1) state.blocked |= bit(p);
      state.hash += static_cast<std::uint64_t>(-count) * opponent_key(p);
    }
  }
  state.hash += static_cast<std::uint64_t>(board[kOpponentBar]) * opponent_key(kOpponentBar);
}

std::size_t PlayTable::add_roll(int die1, int die2, std::vector<Number>& results) {
  results_ = &results;
  first_ = results.size();
  most_steps_ = 1;
  most_pips_ = 1;
  ++list_;
  if (die1 == die2) {
    play_double(start_, die1, 0, kEverywhere);
  } else {
    play_mixed(die1, die2);
    play_mixed(die2, die1);
  }
  return results.size() - first_;
}

std::uint64_t PlayTable::hash_of(const Board& turned) {
  PlayTable::State state;
  set_up(state, mirrored(turned));
  return state.hash;
}

PlayTable::Number PlayTable::add_unmoved() { return insert(start_); }

std::uint32_t PlayTable::sources(const State& state, int die) {
  if ((state.own & bit(kOwnBar)) != 0) {
    return (state.blocked & bit(kOwnBar - die)) == 0 ? bit(kOwnBar) : 0;
  }
  const std::uint32_t beyond = kEverywhere << (die + 1);
  std::uint32_t found = state.own & beyond & ~(state.blocked << die);
  if (state.own >> 7 == 0 && state.own != 0) {
    found |= state.own & bit(die);
    const int rearmost = highest(state.own);
    if (rearmost < die) found |= bit(rearmost);
  }
  return found;
}

PlayTable::State PlayTable::after_step(const State& state, int from, int die) {
  State next = state;
  next.hash -= own_key(from);
  if (--next.board.at(static_cast<std::size_t>(from)) == 0) next.own &= ~bit(from);
  const int to = from - die;
  if (to > 0) {
    std::int8_t& target = next.board.at(static_cast<std::size_t>(to));
    if (target < 0) {
      target = 0;
      ++next.board.at(kOpponentBar);
      next.hash += opponent_key(kOpponentBar) - opponent_key(to);
    }
    ++target;
    next.own |= bit(to);
    next.hash += own_key(to);
  }
  return next;
}

void PlayTable::play_mixed(int first, int second) {
  for (std::uint32_t from = sources(start_, first); from != 0;) {
    const int point = highest(from);
    from &= ~bit(point);
    const State middle = after_step(start_, point, first);
    std::uint32_t next = sources(middle, second);
    if (next == 0) record(middle, 1, first);
    while (next != 0) {
      const int next_point = highest(next);
      next &= ~bit(next_point);
      record(after_step(middle, next_point, second), 2, first + second);
    }
  }
}

void PlayTable::play_double(const State& state, int die, int used, std::uint32_t allowed) {
  std::uint32_t from = used < kStepsOfDouble ? sources(state, die) & allowed : 0;
  if (from == 0) {
    if (used > 0) record(state, used, used * die);
    return;
  }
  while (from != 0) {
    const int point = highest(from);
    from &= ~bit(point);
    const std::uint32_t from_here_down = point == kOwnBar ? kEverywhere : (bit(point) << 1) - 1;
    play_double(after_step(state, point, die), die, used + 1, from_here_down);
  }
}

void PlayTable::record(const State& state, int steps, int pips) {
  if (steps < most_steps_ || pips < most_pips_) return;
  if (steps > most_steps_ || pips > most_pips_) {
    results_->resize(first_);
    ++list_;
    most_steps_ = steps;
    most_pips_ = pips;
  }
  const Number number = insert(state);
  if (entries_[number].list == list_) return;
  entries_[number].list = list_;
  results_->push_back(number);
}

PlayTable::Number PlayTable::insert(const State& state) {
  if (2 * (boards_.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (state.hash >> 20) & mask;
  for (; slots_[at].generation == generation_; at = (at + 1) & mask) {
    const Number number = slots_[at].number;
    if (entries_[number].hash == state.hash && same(boards_[number], state.board)) return number;
  }
  const auto number = static_cast<Number>(boards_.size());
  slots_[at] = {generation_, number};
  boards_.push_back(state.board);
  turned_.push_back(mirrored(state.board));
  entries_.push_back({state.hash, 0});
  return number;
}

void PlayTable::grow() {
  slots_.assign(std::max(first_slots_, 2 * slots_.size()), Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t at = (entries_[i].hash >> 20) & mask;
    while (slots_[at].generation == generation_) at = (at + 1) & mask;
    slots_[at] = {generation_, static_cast<Number>(i)};
  }
}

}  // namespace botd::gnubg
