// Two-sided bear-off database: exact money equities when few checkers are left.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "bearoff/header.hpp"
#include "bearoff/mapped_file.hpp"

namespace botd::bearoff {

// Money equities of the side on roll with perfect play, in units of the present cube. No gammons can happen.
// The cubeful ones are zero in a database without them.
struct TwoSidedEquities {
  float cubeless = 0.0F;
  float owned = 0.0F;  // the side on roll owns the cube
  float centered = 0.0F;
  float opponent = 0.0F;  // the other side owns it
};

// GNU Backgammon's file format. Immutable, for any thread. An index is one of bearoff/index.hpp, below
// positions().
class TwoSidedDatabase {
 public:
  // Checks header and size, of a standard database also its checksum; nothing else in the file could show
  // damage. Throws DataError for a missing, cut, swollen or damaged file.
  [[nodiscard]] static std::shared_ptr<const TwoSidedDatabase> open(const std::filesystem::path& path);
  explicit TwoSidedDatabase(MappedFile file);

  [[nodiscard]] const TwoSidedShape& shape() const { return shape_; }
  [[nodiscard]] int points() const { return shape_.points; }
  [[nodiscard]] int checkers() const { return shape_.checkers; }
  [[nodiscard]] bool cubeful() const { return shape_.cubeful; }
  // Of one side; every pair of two is in the database.
  [[nodiscard]] std::uint32_t positions() const { return positions_; }
  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }

  // The own side is on roll.
  [[nodiscard]] TwoSidedEquities at(std::uint32_t own_index, std::uint32_t opponent_index) const;

 private:
  MappedFile file_;
  TwoSidedShape shape_;
  std::uint32_t positions_ = 0;
};

}  // namespace botd::bearoff
