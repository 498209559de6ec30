#include "cube/match_equity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <string>

namespace botd {
namespace {

constexpr double kSymmetryTolerance = 1e-6;
constexpr double kDisorder = 0.005;  // rollouts and rounded percentages are not quite in order

// Distribution function of the standard normal distribution.
double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

// Spread of the points a side scores on its way, by its need.
double spread(int away) {
  constexpr std::array<double, 11> kSpread = {0, 1.24, 1.27, 1.47, 1.50, 1.60, 1.61, 1.66, 1.68, 1.70, 1.72};
  return away < static_cast<int>(kSpread.size()) ? kSpread[static_cast<std::size_t>(away)] : 1.77;
}

// Chances of the side needing more, beyond the explicit table: the difference of scores as a normal variable.
double extended(int away, int opponent_away) {
  const double behind = away - opponent_away;
  const double deviation =
      std::hypot(spread(away), spread(opponent_away)) * std::sqrt((away + opponent_away) / 2.0);
  return 6.0 * deviation > behind ? normal_cdf(6.0) - normal_cdf(behind / deviation) : 0.0;
}

std::string entry(const char* table, int row, int column) {
  std::string name = std::string(table) + " entry " + std::to_string(row);
  if (column > 0) name += ", " + std::to_string(column);
  return name;
}

void check_probability(double value, const std::string& name) {
  if (!(value >= 0.0 && value <= 1.0)) {
    throw std::invalid_argument(name + " is " + std::to_string(value) +
                                ", expected a probability from 0 to 1");
  }
}

// Rows of a square table with this many entries.
int table_length(std::size_t entries) {
  for (int length = 0; length <= MatchEquityTable::kMaxAway; ++length) {
    const auto rows = static_cast<std::size_t>(length);
    if (length != 1 && rows * rows == entries) return length;
  }
  throw std::invalid_argument(
      "match equity table: expected 2 to 64 rows of as many entries before Crawford, or none, got " +
      std::to_string(entries) + " entries");
}

// Post-Crawford rows that go with a table of `length` rows.
void check_row_size(std::size_t size, int length) {
  const auto rows = static_cast<std::size_t>(length);
  if (length == 0 ? size >= 1 && size <= MatchEquityTable::kMaxAway : size == rows || size + 1 == rows) return;
  const std::string expected =
      length == 0 ? "1 to 64" : std::to_string(length - 1) + " or " + std::to_string(length);
  throw std::invalid_argument("match equity table: expected " + expected + " post-Crawford entries beside " +
                              std::to_string(length) + " rows before Crawford, got " + std::to_string(size));
}

}  // namespace

MatchEquityTable::MatchEquityTable(std::span<const double> pre_crawford,
                                   std::span<const double> post_crawford, LastPostCrawford last,
                                   std::span<const double> post_crawford_1)
    : length_(table_length(pre_crawford.size())) {
  const auto size = static_cast<std::size_t>(length_);
  check_row_size(post_crawford.size(), length_);
  if (!post_crawford_1.empty()) check_row_size(post_crawford_1.size(), length_);
  for (std::size_t a = 1; a <= size; ++a) {
    for (std::size_t b = 1; b <= size; ++b) {
      const double value = pre_crawford[(a - 1) * size + b - 1];
      const std::string name = entry("pre-Crawford", static_cast<int>(a), static_cast<int>(b));
      check_probability(value, name);
      if (b > 1 && value < pre_crawford_[a][b - 1] - kDisorder) {
        throw std::invalid_argument(name +
                                    " is below the entry before it; needing fewer points cannot be worse");
      }
      if (a > 1 && value > pre_crawford_[a - 1][b] + kDisorder) {
        throw std::invalid_argument(name +
                                    " is above the entry over it; needing more points cannot be better");
      }
      pre_crawford_[a][b] = value;
      if (std::abs(value + pre_crawford[(b - 1) * size + a - 1] - 1.0) > kSymmetryTolerance) {
        symmetric_ = false;
      }
    }
  }
  post_crawford_[0] = post_crawford_row(post_crawford, last);
  post_crawford_[1] = post_crawford_1.empty() ? post_crawford_[0] : post_crawford_row(post_crawford_1, last);
  if (post_crawford_[0] != post_crawford_[1]) symmetric_ = false;

  for (std::size_t a = size + 1; a <= kMaxAway; ++a) {
    for (std::size_t b = 1; b <= a; ++b) {
      pre_crawford_[a][b] = extended(static_cast<int>(a), static_cast<int>(b));
      pre_crawford_[b][a] = a == b ? pre_crawford_[a][b] : 1.0 - pre_crawford_[a][b];
    }
  }
}

MatchEquityTable::Row MatchEquityTable::post_crawford_row(std::span<const double> entries,
                                                          LastPostCrawford last) const {
  Row row{};
  for (std::size_t a = 1; a <= entries.size(); ++a) {
    const double value = entries[a - 1];
    const std::string name = entry("post-Crawford", static_cast<int>(a), 0);
    check_probability(value, name);
    if (a > 1 && value > row[a - 1] + kDisorder) {
      throw std::invalid_argument(name +
                                  " is above the entry before it; needing more points cannot be better");
    }
    row[a] = value;
  }
  const bool derive = last == LastPostCrawford::kDerive && entries.size() == static_cast<std::size_t>(length_);
  const std::size_t first_derived = derive ? entries.size() : entries.size() + 1;
  for (std::size_t a = first_derived; a <= kMaxAway; ++a) {
    // A quarter of the games are gammons. A need of zero or less is a match won.
    const auto back = [&](std::size_t points) { return a > points ? row[a - points] : 1.0; };
    row[a] = 0.125 * back(4) + 0.375 * back(2);
  }
  return row;
}

double MatchEquityTable::chances(int away, int opponent_away, bool post_crawford, int seat) const {
  if (away <= 0) return 1.0;
  if (opponent_away <= 0) return 0.0;
  const auto a = static_cast<std::size_t>(std::min(away, kMaxAway));
  const auto b = static_cast<std::size_t>(std::min(opponent_away, kMaxAway));
  const std::size_t own = symmetric_ || seat == 0 ? 0 : 1;
  if (post_crawford && a == 1) return 1.0 - post_crawford_[1 - own][b];
  if (post_crawford && b == 1) return post_crawford_[own][a];
  return own == 0 ? pre_crawford_[a][b] : 1.0 - pre_crawford_[b][a];
}

}  // namespace botd
