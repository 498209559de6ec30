// Values from bear-off databases.
#pragma once

#include <filesystem>
#include <memory>

#include "bearoff/one_sided.hpp"
#include "bearoff/two_sided.hpp"
#include "gnubg/side.hpp"
#include "rules/probabilities.hpp"

namespace botd::gnubg {

// The databases of one evaluator; either may be absent. Immutable.
class BearoffLookup {
 public:
  // An empty path means that there is no such database. Throws DataError for a missing or damaged file, and for a
  // one-sided database that is smaller than gnubg's standard one (6 points, 15 checkers) or lacks gammons.
  BearoffLookup(const std::filesystem::path& one_sided, const std::filesystem::path& two_sided);

  [[nodiscard]] bool has_one_sided() const { return one_sided_ != nullptr; }
  [[nodiscard]] bool has_two_sided() const { return two_sided_ != nullptr; }

  // Whether the database has the position, which must have no contact and checkers of both sides.
  [[nodiscard]] bool one_sided_covers(const Position& position) const;
  [[nodiscard]] bool two_sided_covers(const Position& position) const;

  // How the race ends if both sides bear off with the fewest rolls on average. One-sided must cover it.
  [[nodiscard]] Probabilities one_sided(const Position& position) const;
  // The same with any arrangement of either side's checkers, at most fifteen on the first six points; gammons
  // are left out.
  [[nodiscard]] double one_sided_win(const Side& roller, const Side& other) const;

  // Exact money equities; two-sided must cover it.
  [[nodiscard]] bearoff::TwoSidedEquities two_sided(const Position& position) const;

  // The one-sided database has this side alone.
  [[nodiscard]] bool has(const Side& side) const;
  // In how many rolls the side bears off; the database must have it.
  [[nodiscard]] bearoff::Distribution rolls_to_bear_off(const Side& side) const;

 private:
  std::shared_ptr<const bearoff::OneSidedDatabase> one_sided_;
  std::shared_ptr<const bearoff::TwoSidedDatabase> two_sided_;
};

}  // namespace botd::gnubg
