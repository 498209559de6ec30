#include "rules/board.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "rules/board_bits.hpp"

namespace botd {
namespace {

static_assert(std::endian::native == std::endian::little, "mirrored() tells the places of a word apart");

struct SideCount {
  int own = 0;       // on points and bar
  int opponent = 0;  // on points and bar
};

#ifdef __SSE2__

SideCount count_checkers(const Board& board) {
  const __m128i zero = _mm_setzero_si128();
  __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(board.points.data()));
  // Indices 16..25; the six before them are in the first register already.
  const __m128i second =
      _mm_srli_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(board.points.data() + 10)), 6);
  first = _mm_andnot_si128(_mm_cvtsi32_si128(0xFF), first);  // the opponent's bar is no own number
  const auto positive = [&](__m128i v) { return _mm_and_si128(v, _mm_cmpgt_epi8(v, zero)); };
  // Sums of eight bytes each; a side of any board that fits in bytes sums up to less than 2^15.
  const auto sum = [&](__m128i a, __m128i b) {
    const __m128i sums = _mm_add_epi64(_mm_sad_epu8(positive(a), zero), _mm_sad_epu8(positive(b), zero));
    return _mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_srli_si128(sums, 8));
  };
  return {sum(first, second), sum(_mm_sub_epi8(zero, first), _mm_sub_epi8(zero, second)) + board[kOpponentBar]};
}

#else

SideCount count_checkers(const Board& board) {
  SideCount count{board[kOwnBar], board[kOpponentBar]};
  for (int i = 1; i <= kPoints; ++i) {
    const int n = board[static_cast<std::size_t>(i)];
    (n > 0 ? count.own : count.opponent) += n > 0 ? n : -n;
  }
  return count;
}

#endif

std::uint32_t own_places(const Board& board) { return places_above(board, 0) & ~(1U << kOpponentBar); }

std::uint32_t opponent_points(const Board& board) { return places_below(board, 0) & kAllPoints; }

// `n` checkers with nothing left for the side that has borne off; `behind`: some are on the bar or in that
// side's home board.
int points_for(int n, bool behind) { return n < kCheckers ? 1 : behind ? 3 : 2; }

}  // namespace

Board starting_board() {
  return {{0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0}};
}

Board mirrored(const Board& board) {
  // Eight places in reversed order, and the same with the sign changed.
  const auto turned = [&](std::size_t from) {
    std::uint64_t word = 0;
    std::memcpy(&word, board.points.data() + from, sizeof word);
    return __builtin_bswap64(word);
  };
  const auto negated = [](std::uint64_t word) {
    constexpr std::uint64_t kSigns = 0x8080808080808080U;  // no borrow crosses into the next byte
    return (kSigns - (word & ~kSigns)) ^ (~word & kSigns);
  };
  // Both bars keep their sign. Written in two halves that overlap, so that they can be read as such at once.
  constexpr std::uint64_t kLowest = 0xFFU;
  constexpr std::uint64_t kHighest = kLowest << 56;
  const std::uint64_t bottom = turned(18);
  const std::uint64_t top = turned(0);
  const std::array<std::uint64_t, 2> first{(negated(bottom) & ~kLowest) | (bottom & kLowest), negated(turned(10))};
  const std::array<std::uint64_t, 2> second{negated(turned(8)), (negated(top) & ~kHighest) | (top & kHighest)};
  Board out;
  std::memcpy(out.points.data(), first.data(), sizeof first);
  std::memcpy(out.points.data() + 10, second.data(), sizeof second);
  return out;
}

int own_borne_off(const Board& board) { return kCheckers - count_checkers(board).own; }

int opponent_borne_off(const Board& board) { return kCheckers - count_checkers(board).opponent; }

int own_pips(const Board& board) {
  int pips = 25 * board[kOwnBar];
  for (int i = 1; i <= kPoints; ++i) pips += i * std::max(0, board[static_cast<std::size_t>(i)]);
  return pips;
}

int opponent_pips(const Board& board) {
  int pips = 25 * board[kOpponentBar];
  for (int i = 1; i <= kPoints; ++i) pips += (25 - i) * std::max(0, -board[static_cast<std::size_t>(i)]);
  return pips;
}

bool is_race(const Board& board) {
  if (board[kOwnBar] != 0 || board[kOpponentBar] != 0) return false;
  const std::uint32_t own = own_places(board);
  const std::uint32_t opponent = opponent_points(board);
  // No own checker lies above the opponent's lowest: what is left above it has no own bit.
  return opponent == 0 || (own >> std::countr_zero(opponent)) == 0;
}

bool is_bearoff(const Board& board) {
  if (board[kOwnBar] != 0 || board[kOpponentBar] != 0) return false;
  for (std::size_t i = 1; i <= kPoints; ++i) {
    if ((board[i] > 0 && i > 6) || (board[i] < 0 && i < 19)) return false;
  }
  return true;
}

int game_result(const Board& board) {
  const std::uint32_t own = own_places(board);
  const std::uint32_t opponent = opponent_points(board);
  const bool opponent_left = opponent != 0 || board[kOpponentBar] > 0;
  if ((own != 0) == opponent_left) return 0;
  const SideCount count = count_checkers(board);
  if (own == 0) return points_for(count.opponent, board[kOpponentBar] > 0 || (opponent & kOwnHome) != 0);
  return -points_for(count.own, (own & (kOpponentHome | 1U << kOwnBar)) != 0);
}

const char* board_error(const Board& board) {
  if (board[kOwnBar] < 0 || board[kOpponentBar] < 0) return "a bar holds a negative number of checkers";
  const SideCount count = count_checkers(board);
  if (count.own > kCheckers) return "the player on roll has more than fifteen checkers";
  if (count.opponent > kCheckers) return "the opponent has more than fifteen checkers";
  if (count.own == 0 && count.opponent == 0) return "neither side has a checker on the board";
  return nullptr;
}

}  // namespace botd
