// Remembered results by board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rules/board.hpp"

namespace botd::gnubg {

// A table of at most `entries` results (a power of two), found by board and tag; what does not fit displaces
// something older. The caller brings the board's hash, always of the same function. Memory is taken by the
// first store(). One thread uses it.
template <typename Payload>
class BoardCache {
 public:
  explicit BoardCache(std::size_t entries) : size_(entries) {}

  // Forgets everything.
  void clear() {
    if (++generation_ == 0) {
      entries_.clear();
      generation_ = 1;
    }
  }

  // Valid until the next store().
  [[nodiscard]] const Payload* find(const Board& board, std::uint64_t hash, int tag) const {
    if (entries_.empty()) return nullptr;
    const std::size_t first = group(hash);
    for (std::size_t i = first; i < first + kProbes; ++i) {
      const Entry& entry = entries_[i];
      if (entry.generation == generation_ && entry.tag == tag && entry.board == board) return &entry.payload;
    }
    return nullptr;
  }

  // Begins to fetch the place of a board that will be looked for soon.
  void prefetch(std::uint64_t hash) const {
    if (entries_.empty()) return;
    const auto* place = reinterpret_cast<const char*>(&entries_[group(hash)]);
    for (std::size_t line = 0; line < kProbes * sizeof(Entry); line += kCacheLine) {
      __builtin_prefetch(place + line);
    }
  }

  void store(const Board& board, std::uint64_t hash, int tag, const Payload& payload) {
    if (entries_.empty()) entries_.resize(size_);
    const std::size_t first = group(hash);
    std::size_t at = first;
    while (at < first + kProbes && entries_[at].generation == generation_) ++at;
    if (at == first + kProbes) {  // the oldest place of the group gives way, in turn
      at = first + (displaced_++ % kProbes);
    }
    entries_[at] = {board, static_cast<std::int16_t>(tag), generation_, payload};
  }

 private:
  static constexpr std::size_t kProbes = 4;
  static constexpr std::size_t kCacheLine = 64;

  struct Entry {
    Board board;
    std::int16_t tag = 0;
    std::uint32_t generation = 0;
    Payload payload{};
  };

  [[nodiscard]] std::size_t group(std::uint64_t hash) const { return hash % (size_ / kProbes) * kProbes; }

  std::size_t size_;
  std::vector<Entry> entries_;
  std::uint32_t generation_ = 1;
  std::uint32_t displaced_ = 0;
};

}  // namespace botd::gnubg
