#include "rules/moves.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace botd {
namespace {

constexpr std::size_t kInitialSlots = 256;

int highest_own_point(const Board& board) {
  for (int i = kPoints; i >= 1; --i)
    if (board[static_cast<std::size_t>(i)] > 0) return i;
  return 0;
}

Board after_step(const Board& board, int from, int to) {
  Board out = board;
  --out.at(static_cast<std::size_t>(from));
  if (to > 0) {
    std::int8_t& target = out.at(static_cast<std::size_t>(to));
    if (target < 0) {
      target = 0;
      ++out.at(kOpponentBar);
    }
    ++target;
  }
  return out;
}

Board extended(const Board& /*previous*/, const Board& board, int /*from*/, int /*to*/) { return board; }

Play extended(const Play& previous, const Board& board, int from, int to) {
  Play play = previous;
  play.board = board;
  play.steps[play.step_count++] = {static_cast<std::int8_t>(from), static_cast<std::int8_t>(to)};
  return play;
}

// Calls visit(entry) for each way to play one die after `entry`.
template <typename Entry, typename Visit>
void for_each_step(const Entry& entry, int die, Visit&& visit) {
  const Board& board = board_of(entry);
  const auto try_step = [&](int from, int to) {
    if (to > 0 && board[static_cast<std::size_t>(to)] <= -2) return;
    visit(extended(entry, after_step(board, from, to), from, to));
  };
  if (board[kOwnBar] > 0) {
    try_step(kOwnBar, kOwnBar - die);
    return;
  }
  const int highest = highest_own_point(board);
  if (highest <= 6) {
    for (int from = 1; from <= std::min(die, highest); ++from)
      if (board[static_cast<std::size_t>(from)] > 0 && (from == die || from == highest)) try_step(from, 0);
  }
  for (int from = die + 1; from <= highest; ++from)
    if (board[static_cast<std::size_t>(from)] > 0) try_step(from, from - die);
}

template <typename Entry>
Entry starting_entry(const Board& board) {
  if constexpr (std::is_same_v<Entry, Board>) {
    return board;
  } else {
    Entry entry;
    entry.board = board;
    return entry;
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
void DistinctList<Entry>::clear() {
  entries_.clear();
  if (++generation_ == 0) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    generation_ = 1;
  }
}

template <typename Entry>
bool DistinctList<Entry>::add(const Entry& entry) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash_value(board_of(entry)) & mask;
  while (slots_[i].generation == generation_) {
    if (board_of(entries_[slots_[i].index]) == board_of(entry)) return false;
    i = (i + 1) & mask;
  }
  slots_[i] = {generation_, static_cast<std::uint32_t>(entries_.size())};
  entries_.push_back(entry);
  return true;
}

template <typename Entry>
void DistinctList<Entry>::insert_slot(std::size_t hash, std::size_t index) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].generation == generation_) i = (i + 1) & mask;
  slots_[i] = {generation_, static_cast<std::uint32_t>(index)};
}

template <typename Entry>
void DistinctList<Entry>::grow() {
  slots_.assign(std::max(kInitialSlots, 2 * slots_.size()), Slot{});
  for (std::size_t i = 0; i < entries_.size(); ++i) insert_slot(hash_value(board_of(entries_[i])), i);
}

template <typename Entry>
void GeneratedList<Entry>::generate(const Board& board, int die1, int die2) {
  result_.clear();
  if (die1 == die2) {
    generate_double(board, die1);
  } else {
    generate_mixed(board, die1, die2);
  }
}

template <typename Entry>
void GeneratedList<Entry>::generate_double(const Board& board, int die) {
  // Level by level; dropping what was seen at the same depth keeps the first-seen order of full sequences,
  // because the first sequence to a board starts with the first sequence to the board before it.
  for_each_step(starting_entry<Entry>(board), die, [this](const Entry& entry) { result_.add(entry); });
  for (int used = 1; used < kMaxSteps && !result_.empty(); ++used) {
    level_.clear();
    for (const Entry& previous : result_)
      for_each_step(previous, die, [this](const Entry& entry) { level_.add(entry); });
    if (level_.empty()) return;
    std::swap(result_, level_);
  }
}

template <typename Entry>
void GeneratedList<Entry>::generate_mixed(const Board& board, int die1, int die2) {
  const Entry start = starting_entry<Entry>(board);
  const auto add = [this](const Entry& entry) { result_.add(entry); };
  for_each_step(start, die1, [&](const Entry& first) { for_each_step(first, die2, add); });
  for_each_step(start, die2, [&](const Entry& first) { for_each_step(first, die1, add); });
  if (result_.empty()) for_each_step(start, std::max(die1, die2), add);
  if (result_.empty()) for_each_step(start, std::min(die1, die2), add);
}

template class DistinctList<Board>;
template class DistinctList<Play>;
template class GeneratedList<Board>;
template class GeneratedList<Play>;

}  // namespace botd
