// Distributions of rolls, computed for all positions of a size.
#pragma once

#include <cstdint>
#include <vector>

#include "bearoff/one_sided.hpp"
#include "bearoff/work.hpp"

namespace botd::bearoff {

// All positions of 0..checkers checkers on `points` points, each solved from those it leads to.
class OneSidedSolution {
 public:
  // Computes everything. `gammons`: also the distributions of the first checker off.
  OneSidedSolution(int points, int checkers, bool gammons, const WorkOptions& options);

  [[nodiscard]] std::uint32_t positions() const { return static_cast<std::uint32_t>(all_off_.size()); }
  [[nodiscard]] const Distribution& all_off(std::uint32_t index) const { return all_off_[index].values; }
  [[nodiscard]] const Distribution& first_off(std::uint32_t index) const;

  // Bytes of the tables.
  [[nodiscard]] static std::uint64_t memory_needed(int points, int checkers, bool gammons);

 private:
  struct Solved {
    Distribution values{};
    std::uint32_t mean = 0;  // number of rolls on average, times 65535
  };

  void solve(std::uint32_t index);

  int points_;
  std::uint32_t first_full_;  // index of the first position with fifteen checkers
  std::vector<Solved> all_off_;
  std::vector<Solved> first_off_;  // of positions with fifteen checkers only
};

}  // namespace botd::bearoff
