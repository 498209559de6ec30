// Rolls until the first of fifteen checkers is off, for databases without these distributions.
#pragma once

#include <cstdint>
#include <vector>

#include "bearoff/one_sided.hpp"

namespace botd::bearoff {

// Six points and fifteen checkers on them. Immutable.
class FirstOffTable {
 public:
  // Computes it, in half a second.
  FirstOffTable();

  // The same values as in a database of six points and fifteen checkers; the index is of such a position.
  [[nodiscard]] const Distribution& at(std::uint32_t index) const;

 private:
  std::vector<Distribution> values_;
};

}  // namespace botd::bearoff
