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

}  // namespace

MatchEquityTable::MatchEquityTable(std::span<const double> pre_crawford,
                                   std::span<const double> post_crawford, LastPostCrawford last)
    : length_(static_cast<int>(std::min<std::size_t>(post_crawford.size(), kMaxAway + 1))) {
  const auto size = static_cast<std::size_t>(length_);
  if (length_ < 2 || length_ > kMaxAway || pre_crawford.size() != size * size) {
    throw std::invalid_argument(
        "match equity table: expected 2 to 64 post-Crawford entries and as many rows and "
        "columns before Crawford, got " +
        std::to_string(post_crawford.size()) + " and " + std::to_string(pre_crawford.size()) + " entries");
  }
  for (std::size_t a = 1; a <= size; ++a) {
    for (std::size_t b = 1; b <= size; ++b) {
      const double value = pre_crawford[(a - 1) * size + b - 1];
      const std::string name = entry("pre-Crawford", static_cast<int>(a), static_cast<int>(b));
      check_probability(value, name);
      if (std::abs(value + pre_crawford[(b - 1) * size + a - 1] - 1.0) > kSymmetryTolerance) {
        throw std::invalid_argument(name + " and its mirror image do not add up to 1");
      }
      if (b > 1 && value < pre_crawford_[a][b - 1]) {
        throw std::invalid_argument(name +
                                    " is below the entry before it; needing fewer points cannot be worse");
      }
      pre_crawford_[a][b] = value;
    }
    const double value = post_crawford[a - 1];
    check_probability(value, entry("post-Crawford", static_cast<int>(a), 0));
    if (a > 1 && value > post_crawford_[a - 1]) {
      throw std::invalid_argument(entry("post-Crawford", static_cast<int>(a), 0) +
                                  " is above the entry before it; needing more points cannot be better");
    }
    post_crawford_[a] = value;
  }

  const std::size_t first_derived = last == LastPostCrawford::kUse ? size + 1 : size;
  for (std::size_t a = first_derived; a <= kMaxAway; ++a) {
    // A quarter of the games are gammons. A need of zero or less is a match won.
    const auto back = [&](std::size_t points) { return a > points ? post_crawford_[a - points] : 1.0; };
    post_crawford_[a] = 0.125 * back(4) + 0.375 * back(2);
  }
  for (std::size_t a = size + 1; a <= kMaxAway; ++a) {
    for (std::size_t b = 1; b <= a; ++b) {
      pre_crawford_[a][b] = extended(static_cast<int>(a), static_cast<int>(b));
      pre_crawford_[b][a] = a == b ? pre_crawford_[a][b] : 1.0 - pre_crawford_[a][b];
    }
  }
}

double MatchEquityTable::chances(int away, int opponent_away, bool post_crawford) const {
  if (away <= 0) return 1.0;
  if (opponent_away <= 0) return 0.0;
  const auto a = static_cast<std::size_t>(std::min(away, kMaxAway));
  const auto b = static_cast<std::size_t>(std::min(opponent_away, kMaxAway));
  if (post_crawford && a == 1) return 1.0 - post_crawford_[b];
  if (post_crawford && b == 1) return post_crawford_[a];
  return pre_crawford_[a][b];
}

}  // namespace botd
