// Remembered static values by board.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "rules/board.hpp"
#include "rules/probabilities.hpp"

namespace botd::fast {

// Open addressing in groups of kProbes entries; what does not fit displaces what was stored in the same group before.
// Boards are compared whole, so that a value found is the value of this very board. One thread uses it. Memory is
// taken by the first store().
class StaticCache {
 public:
  // As many entries as fit into `bytes`, none if that is less than a group.
  explicit StaticCache(std::size_t bytes) : groups_(bytes / sizeof(Group)) {}

  [[nodiscard]] std::size_t bytes() const { return table_.capacity() * sizeof(Group); }
  [[nodiscard]] bool remembers() const { return groups_ > 0; }

  // Forgets everything.
  void clear() {
    if (++generation_ == 0) {
      table_.clear();
      generation_ = 1;
    }
  }

  void prefetch(std::size_t hash) const {
    if (table_.empty()) return;
    const auto* group = reinterpret_cast<const char*>(&table_[place(hash)]);
    for (std::size_t at = 0; at < sizeof(Group); at += kCacheLine) __builtin_prefetch(group + at);
  }

  // Null if it is not there; valid until the next store().
  [[nodiscard]] const Probabilities* find(const Board& board, std::size_t hash) const {
    if (table_.empty()) return nullptr;
    for (const Entry& entry : table_[place(hash)].entries) {
      if (entry.generation == generation_ && entry.board == board.points) return &entry.value;
    }
    return nullptr;
  }

  void store(const Board& board, std::size_t hash, const Probabilities& value) {
    if (groups_ == 0) return;
    if (table_.empty()) table_.resize(groups_);
    auto& entries = table_[place(hash)].entries;
    std::size_t at = 0;
    while (at < kProbes && entries[at].generation == generation_) ++at;
    if (at == kProbes) at = displaced_++ % kProbes;
    entries[at] = {value, board.points, generation_};
  }

 private:
  static constexpr std::size_t kProbes = 4;
  static constexpr std::size_t kCacheLine = 64;

  struct Entry {
    Probabilities value;
    std::array<std::int8_t, 26> board{};
    std::uint16_t generation = 0;  // occupied only if it is the cache's own
  };
  struct alignas(kCacheLine) Group {
    std::array<Entry, kProbes> entries{};
  };
  static_assert(sizeof(Group) == kProbes * 48);

  // High bits of the product: any number of groups will do.
  [[nodiscard]] std::size_t place(std::size_t hash) const {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(static_cast<std::uint32_t>(hash >> 16)) * groups_) >>
                                    32);
  }

  std::size_t groups_;
  std::vector<Group> table_;
  std::uint16_t generation_ = 1;
  std::size_t displaced_ = 0;
};

}  // namespace botd::fast
