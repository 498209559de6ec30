#include "gnubg/pruning.hpp"

#include <bit>
#include <utility>

namespace botd::gnubg {

std::size_t kept_plays(std::size_t n) { return 4 + static_cast<std::size_t>(std::bit_width(n)); }

void select_best(std::span<const float> values, std::size_t count, std::vector<std::size_t>& slots) {
  slots.clear();
  for (std::size_t i = 0; i < values.size() && i < count; ++i) {
    slots.push_back(i);
    if (values[i] > values[slots.front()]) std::swap(slots.front(), slots.back());
  }
  for (std::size_t i = count; i < values.size(); ++i) {
    if (!(values[i] < values[slots.front()])) continue;
    slots.front() = i;
    std::size_t worst = 0;
    for (std::size_t s = 1; s < slots.size(); ++s) {
      if (values[slots[s]] > values[slots[worst]]) worst = s;
    }
    std::swap(slots.front(), slots[worst]);
  }
}

}  // namespace botd::gnubg
