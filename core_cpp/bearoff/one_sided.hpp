// One-sided bear-off database: how many rolls a side needs to bear off, or to bear off its first checker.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "bearoff/header.hpp"
#include "bearoff/mapped_file.hpp"

namespace botd::bearoff {

inline constexpr std::size_t kRollCounts = 32;  // 0..31 rolls
inline constexpr unsigned kCertain = 65535;     // probability one

// value / 65535 is the probability of exactly k rolls, k = 0..31, when the side plays alone.
using Distribution = std::array<std::uint16_t, kRollCounts>;

// GNU Backgammon's file format, every layout: compressed or not, with or without gammon distributions, or
// normal distributions. Immutable, for any thread. An index is one of bearoff/index.hpp, below positions().
class OneSidedDatabase {
 public:
  // Checks the whole file: sizes, offsets, ranges and the sum of each distribution; of a standard database
  // also its checksum. Throws DataError for a missing, cut, swollen or damaged file.
  [[nodiscard]] static std::shared_ptr<const OneSidedDatabase> open(const std::filesystem::path& path);
  explicit OneSidedDatabase(MappedFile file);

  [[nodiscard]] const OneSidedShape& shape() const { return shape_; }
  [[nodiscard]] int points() const { return shape_.points; }
  [[nodiscard]] int checkers() const { return shape_.checkers; }
  // Without gammon distributions first_off() must not be called.
  [[nodiscard]] bool has_gammons() const { return shape_.gammons || shape_.normal; }
  [[nodiscard]] std::uint32_t positions() const { return positions_; }
  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }

  // Rolls until all checkers are off. In a database of normal distributions the density, rounded: the sum is
  // only about 65535.
  void all_off(std::uint32_t index, Distribution& out) const;
  // Rolls until the first of fifteen checkers is off; with fewer checkers all of it is at 0.
  void first_off(std::uint32_t index, Distribution& out) const;

 private:
  // Where the stored stretch of a distribution lies in a compressed file.
  struct Stretch {
    std::uint64_t offset;  // in the file
    std::size_t count;
    std::size_t first;  // number of rolls of the first value
  };

  [[nodiscard]] Stretch stretch(std::uint32_t index, bool gammon) const;
  [[nodiscard]] std::uint64_t record(std::uint32_t index) const;
  void read(std::uint32_t index, bool gammon, Distribution& out) const;
  void check_compressed() const;
  void check_plain() const;
  void check_normal() const;
  void check_sum(std::uint32_t index, std::uint64_t offset, std::size_t count) const;

  MappedFile file_;
  OneSidedShape shape_;
  std::uint32_t positions_ = 0;
  std::size_t record_size_ = 0;
};

}  // namespace botd::bearoff
