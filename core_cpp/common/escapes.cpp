#include "common/escapes.hpp"

namespace botd {
namespace {

constexpr EscapeTable make_table(bool past_block) {
  EscapeTable table{};
  for (std::uint32_t mask = 0; mask < kEscapeMasks; ++mask) {
    int first_block = 0;
    while (first_block < 12 && ((mask >> first_block) & 1U) == 0) ++first_block;
    int rolls = 0;
    for (int high = 1; high <= 6; ++high) {
      for (int low = 1; low <= high; ++low) {
        const bool landing_blocked = ((mask >> (high + low - 1)) & 1U) != 0;
        const bool both_first_steps_blocked = ((mask >> (high - 1)) & 1U) != 0 && ((mask >> (low - 1)) & 1U) != 0;
        if (landing_blocked || both_first_steps_blocked) continue;
        if (past_block && high + low - 1 <= first_block) continue;
        rolls += high == low ? 1 : 2;
      }
    }
    table[mask] = static_cast<std::uint8_t>(past_block && mask == 0 ? 0 : rolls);
  }
  return table;
}

}  // namespace

constexpr EscapeTable kEscapes = make_table(false);
constexpr EscapeTable kEscapesPastBlock = make_table(true);

}  // namespace botd
