#include "sage/side_view.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace botd::sage {

namespace {

// Bit i is set where values[i] >= least, for i = 0..31.
std::uint32_t at_least(const std::array<std::int8_t, 32>& values, std::int8_t least) {
#ifdef __SSE2__
  const auto half = [&](const std::int8_t* from) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(v, _mm_set1_epi8(static_cast<char>(least - 1)))));
  };
  return half(values.data()) | (half(values.data() + 16) << 16);
#else
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < values.size(); ++i) word |= static_cast<std::uint32_t>(values[i] >= least) << i;
  return word;
#endif
}

}  // namespace

PositionView view_of(const Board& board) {
  PositionView view;
  SideView& own = view.own;
  SideView& opponent = view.opponent;
  // Both sides' checkers, bars included, in own numbering and with room for whole registers.
  std::array<std::int8_t, 32> ours{};
  std::array<std::int8_t, 32> theirs{};
  for (std::size_t i = 0; i < board.points.size(); ++i) {
    const std::int8_t n = board.points[i];
    ours[i] = n > 0 ? n : std::int8_t{0};
    theirs[i] = n < 0 ? static_cast<std::int8_t>(-n) : std::int8_t{0};
  }
  ours[kOpponentBar] = 0;
  theirs[kOpponentBar] = board.points[kOpponentBar];
  int own_on_board = 0;
  int opponent_on_board = 0;
  int opponent_weighted = 0;
  for (std::size_t i = 0; i < board.points.size(); ++i) {
    own.count[i] = static_cast<std::uint8_t>(ours[i]);
    opponent.count[i] = static_cast<std::uint8_t>(theirs[25 - i]);
    own_on_board += ours[i];
    opponent_on_board += theirs[i];
    own.pips += static_cast<int>(i) * ours[i];
    opponent_weighted += static_cast<int>(i) * theirs[i];
  }
  opponent.pips = 25 * opponent_on_board - opponent_weighted;
  own.off = kCheckers - own_on_board;
  opponent.off = kCheckers - opponent_on_board;
  own.their_bar = opponent.bar();
  opponent.their_bar = own.bar();

  const std::uint32_t opponent_occupied = at_least(theirs, 1) & kPointBits;
  own.occupied = at_least(ours, 1) & kPointBits;
  own.made = at_least(ours, 2) & kPointBits;
  own.their_made = at_least(theirs, 2) & kPointBits;
  own.their_blots = opponent_occupied & ~own.their_made;
  opponent.occupied = reversed_points(opponent_occupied);
  opponent.made = reversed_points(own.their_made);
  opponent.their_made = reversed_points(own.made);
  opponent.their_blots = reversed_points(own.blots());
  view.race = own.bar() == 0 && opponent.bar() == 0 && highest(own.occupied) <= lowest(opponent_occupied, 25);
  return view;
}

int checkers(const SideView& side, int first, int last) {
  int sum = 0;
  for (int i = first; i <= last; ++i) sum += side.count[static_cast<std::size_t>(i)];
  return sum;
}

int longest_run(std::uint32_t word) {
  int length = 0;
  for (; word != 0; ++length) word &= word << 1;
  return length;
}

}  // namespace botd::sage
