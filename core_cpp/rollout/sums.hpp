// What trials add up to.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace botd::rollout {

// A sum of numbers, each rounded to a multiple of 2^-40, without any further error: so that it depends neither on
// their order nor on how they were divided among threads, runs or machines.
class ExactSum {
 public:
  __extension__ using Integer = __int128;
  static constexpr int kFractionBits = 40;

  ExactSum() = default;
  // From words(), to go on with.
  ExactSum(std::int64_t high, std::uint64_t low) : units_(static_cast<Integer>(high) * kWord + low) {}

  void add(double value) { units_ += static_cast<Integer>(std::nearbyint(std::ldexp(value, kFractionBits))); }
  void add(const ExactSum& other) { units_ += other.units_; }

  [[nodiscard]] double value() const { return std::ldexp(static_cast<double>(units_), -kFractionBits); }
  // The number of units as high * 2^64 + low.
  [[nodiscard]] std::int64_t high() const { return static_cast<std::int64_t>(units_ >> 64); }
  [[nodiscard]] std::uint64_t low() const { return static_cast<std::uint64_t>(units_); }

  friend bool operator==(const ExactSum&, const ExactSum&) = default;

 private:
  static constexpr Integer kWord = static_cast<Integer>(1) << 64;

  Integer units_ = 0;
};

// A number that every trial gives.
struct Sample {
  ExactSum sum;
  ExactSum squares;

  void add(double value) {
    sum.add(value);
    squares.add(value * value);
  }
  void add(const Sample& other) {
    sum.add(other.sum);
    squares.add(other.squares);
  }
  [[nodiscard]] double mean(std::uint64_t trials) const { return sum.value() / static_cast<double>(trials); }
  [[nodiscard]] double standard_error(std::uint64_t trials) const {
    const auto n = static_cast<double>(trials);
    const double m = mean(trials);
    return std::sqrt(std::max(0.0, squares.value() / n - m * m) / n);
  }

  friend bool operator==(const Sample&, const Sample&) = default;
};

// One trial's results, seen by the side on roll at its beginning: the starter.
struct Outcome {
  std::array<double, 2> values{};         // native, without a double and after double and take; money in units of
                                          // the cube at the beginning
  std::array<double, 5> probabilities{};  // cubeless: win, win gammon, win backgammon, lose gammon, lose backgammon
  bool passed = false;                    // with and without the double the trial ended by a pass
};

struct Sums {
  std::uint64_t trials = 0;
  std::uint64_t passed = 0;
  std::array<Sample, 2> values;
  std::array<Sample, 5> probabilities;
  Sample cubeless;  // equity in money points

  void add(const Outcome& outcome) {
    ++trials;
    passed += outcome.passed ? 1 : 0;
    for (std::size_t i = 0; i < values.size(); ++i) values[i].add(outcome.values[i]);
    const std::array<double, 5>& p = outcome.probabilities;
    for (std::size_t i = 0; i < probabilities.size(); ++i) probabilities[i].add(p[i]);
    cubeless.add(2.0 * p[0] - 1.0 + p[1] - p[3] + p[2] - p[4]);
  }
  void add(const Sums& other) {
    trials += other.trials;
    passed += other.passed;
    for (std::size_t i = 0; i < values.size(); ++i) values[i].add(other.values[i]);
    for (std::size_t i = 0; i < probabilities.size(); ++i) probabilities[i].add(other.probabilities[i]);
    cubeless.add(other.cubeless);
  }

  friend bool operator==(const Sums&, const Sums&) = default;
};

}  // namespace botd::rollout
