#include "sage/bearoff.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "rules/board_bits.hpp"
#include "rules/errors.hpp"
#include "sage/data_file.hpp"

namespace botd::sage {
namespace {

constexpr std::size_t kLength = 32;           // of a distribution
constexpr std::size_t kPositions = 54264;     // 0..15 checkers on six points
constexpr std::size_t kFullPositions = 15504; // all fifteen of them; the last ones of the above
constexpr std::size_t kFirstFull = kPositions - kFullPositions;
constexpr unsigned kOne = 65535;

constexpr std::size_t kHeader = 7 * sizeof(std::uint32_t);
constexpr std::size_t kRollsAt = kHeader;
constexpr std::size_t kMeansAt = kRollsAt + kPositions * kLength * sizeof(std::uint16_t);
constexpr std::size_t kIndicesAt = kMeansAt + kPositions * sizeof(float);
constexpr std::size_t kNothingOffAt = kIndicesAt + kPositions * sizeof(std::int32_t);
constexpr std::size_t kSize = kNothingOffAt + kFullPositions * kLength * sizeof(std::uint16_t);
static_assert(kSize == 4899292);

constexpr std::array<std::array<std::uint32_t, 7>, 21> make_binomials() {
  std::array<std::array<std::uint32_t, 7>, 21> c{};
  for (std::size_t n = 0; n < c.size(); ++n) {
    c[n][0] = 1;
    for (std::size_t k = 1; k < 7 && n > 0; ++k) c[n][k] = c[n - 1][k - 1] + c[n - 1][k];
  }
  return c;
}
constexpr auto kBinomials = make_binomials();

// counts[0..5]: checkers on points 1..6.
std::size_t position_index(const std::array<int, 6>& counts) {
  int s = 5;
  for (const int n : counts) s += n;
  std::size_t index = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    if (s >= 0) index += kBinomials[static_cast<std::size_t>(s)][6 - i];
    s -= counts[i] + 1;
  }
  return index;
}

template <class T>
T read(const std::vector<std::byte>& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string place(const std::filesystem::path& path, std::size_t offset) {
  return path.string() + ": offset " + std::to_string(offset) + ": ";
}

void check_header(const std::filesystem::path& path, const std::vector<std::byte>& bytes) {
  struct Field {
    const char* what;
    std::uint32_t expected;
  };
  constexpr std::array<Field, 7> fields = {{{"the magic number", 0x42454152U},
                                            {"the version", 1},
                                            {"the number of points", 6},
                                            {"the number of checkers", 15},
                                            {"the length of a distribution", kLength},
                                            {"the number of positions", kPositions},
                                            {"the number of positions with nobody off", kFullPositions}}};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto value = read<std::uint32_t>(bytes, i * sizeof(std::uint32_t));
    if (value != fields[i].expected)
      throw DataError(place(path, i * sizeof(std::uint32_t)) + fields[i].what + " is " + std::to_string(value) +
                      ", expected " + std::to_string(fields[i].expected));
  }
}

void check_tables(const std::filesystem::path& path, const std::vector<std::byte>& bytes) {
  for (std::size_t i = 0; i < kPositions; ++i) {
    const std::size_t at = kRollsAt + i * kLength * sizeof(std::uint16_t);
    unsigned sum = 0;
    for (std::size_t k = 0; k < kLength; ++k) sum += read<std::uint16_t>(bytes, at + k * sizeof(std::uint16_t));
    if (sum != kOne)
      throw DataError(place(path, at) + "a distribution sums to " + std::to_string(sum) + ", expected 65535");
    const std::size_t mean_at = kMeansAt + i * sizeof(float);
    const auto mean = read<float>(bytes, mean_at);
    if (!(mean >= 0.0F && mean < static_cast<float>(kLength)))
      throw DataError(place(path, mean_at) + "a mean number of rolls is " + std::to_string(mean) +
                      ", expected 0 to 32");
    const std::size_t index_at = kIndicesAt + i * sizeof(std::int32_t);
    const auto index = read<std::int32_t>(bytes, index_at);
    const std::int32_t expected = i < kFirstFull ? -1 : static_cast<std::int32_t>(i - kFirstFull);
    if (index != expected)
      throw DataError(place(path, index_at) + "an index is " + std::to_string(index) + ", expected " +
                      std::to_string(expected));
  }
  for (std::size_t i = 0; i < kFullPositions; ++i) {
    const std::size_t at = kNothingOffAt + i * kLength * sizeof(std::uint16_t);
    unsigned previous = kOne;
    for (std::size_t k = 0; k < kLength; ++k) {
      const unsigned value = read<std::uint16_t>(bytes, at + k * sizeof(std::uint16_t));
      if (value > previous || (k == 0 && value != kOne))
        throw DataError(place(path, at + k * sizeof(std::uint16_t)) + "the probability of nobody off is " +
                        std::to_string(value) + ", expected " + (k == 0 ? "" : "at most ") +
                        std::to_string(previous) + " (of 65535)");
      previous = value;
    }
  }
}

}  // namespace

bool all_home(const Board& board) {
  if (board[kOwnBar] != 0 || board[kOpponentBar] != 0) return false;
  return (places_above(board, 0) & ~kOwnHome) == 0 && (places_below(board, 0) & ~kOpponentHome) == 0;
}

BearoffDatabase::BearoffDatabase(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_data_file(path, kSize);
  check_header(path, bytes);
  check_tables(path, bytes);
  rolls_.resize(kPositions * kLength);
  std::memcpy(rolls_.data(), bytes.data() + kRollsAt, rolls_.size() * sizeof(std::uint16_t));
  nothing_off_.resize(kFullPositions * kLength);
  std::memcpy(nothing_off_.data(), bytes.data() + kNothingOffAt, nothing_off_.size() * sizeof(std::uint16_t));
}

Probabilities BearoffDatabase::opponent_to_roll(const Board& board) const { return outcome(board, false); }

Probabilities BearoffDatabase::own_side_to_roll(const Board& board) const { return outcome(board, true); }

Probabilities BearoffDatabase::outcome(const Board& board, bool own_rolls) const {
  std::array<int, 6> own_counts{};
  std::array<int, 6> opponent_counts{};
  for (std::size_t i = 0; i < 6; ++i) {
    own_counts[i] = board[i + 1];
    opponent_counts[i] = -board[24 - i];
  }
  const std::size_t own_index = position_index(own_counts);
  const std::size_t opponent_index = position_index(opponent_counts);
  const std::uint16_t* own = rolls_.data() + own_index * kLength;
  const std::uint16_t* opponent = rolls_.data() + opponent_index * kLength;
  const auto curve = [&](std::size_t index) {
    return index < kFirstFull ? nullptr : nothing_off_.data() + (index - kFirstFull) * kLength;
  };
  const std::uint16_t* own_nothing = curve(own_index);
  const std::uint16_t* opponent_nothing = curve(opponent_index);

  // The side that rolls second has had k rolls less one when the first has had k.
  constexpr double kScale = 1.0 / kOne;
  const std::size_t opponent_lag = own_rolls ? 1 : 0;
  const std::size_t own_lag = own_rolls ? 0 : 1;
  double win = own[0] * kScale;
  double win_gammon = opponent_nothing != nullptr ? win : 0.0;
  double lose_gammon = 0.0;
  unsigned opponent_done = own_rolls ? 0U : opponent[0];  // x 65535, within k - lag rolls
  for (std::size_t k = 1; k < kLength; ++k) {
    opponent_done += opponent[k - opponent_lag];
    win += own[k] * kScale * ((kOne - opponent_done) * kScale);
    if (opponent_nothing != nullptr) win_gammon += own[k] * kScale * (opponent_nothing[k - opponent_lag] * kScale);
    if (own_nothing != nullptr) lose_gammon += opponent[k] * kScale * (own_nothing[k - own_lag] * kScale);
  }
  Probabilities p;
  p.win = static_cast<float>(win);
  p.win_gammon = static_cast<float>(win_gammon);
  p.lose_gammon = static_cast<float>(lose_gammon);
  return p;
}

}  // namespace botd::sage
