// What trials add up to.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cube/cube_state.hpp"
#include "rollout/settings.hpp"
#include "rules/board.hpp"

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

  // A number as it is summed; below 2^23 in size.
  [[nodiscard]] static std::int64_t units(double value) {
    return static_cast<std::int64_t>(std::nearbyint(std::ldexp(value, kFractionBits)));
  }

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

// What trials must have in common to be summed.
struct Origin {
  std::string evaluator;  // its name, files and CPU path
  Board board;
  CubeState state;
  Settings settings;

  friend bool operator==(const Origin&, const Origin&) = default;
};

// The `values` of trials, in ExactSum's units, by the number of the trial.
class TrialValues {
 public:
  using Pair = std::array<std::int64_t, 2>;
  // Consecutive trials by the number of the first; none touches another.
  using Ranges = std::map<std::uint64_t, std::vector<Pair>>;

  // Throws std::invalid_argument, and changes nothing, if any of these trials is there.
  void add(std::uint64_t first, const std::vector<Pair>& values);
  void add(const TrialValues& other);

  [[nodiscard]] const Ranges& ranges() const { return ranges_; }

  friend bool operator==(const TrialValues&, const TrialValues&) = default;

 private:
  void check_new(std::uint64_t first, std::uint64_t count) const;

  Ranges ranges_;
};

// Of trials of one origin, each of which is counted once.
class Sums {
 public:
  static constexpr std::size_t kChances = 6;

  // None, of any origin.
  Sums() = default;
  explicit Sums(std::shared_ptr<const Origin> origin) : origin_(std::move(origin)) {}
  // To go on with those that were kept. Throws std::invalid_argument.
  Sums(std::shared_ptr<const Origin> origin, TrialValues trials, std::uint64_t passed,
       const std::array<Sample, kChances>& chances);

  // Consecutive trials. Throws std::invalid_argument, and changes nothing, if any of them is there.
  void add(std::uint64_t first, const std::vector<Outcome>& outcomes);
  // Throws std::invalid_argument, and changes nothing, if the origin differs or a trial is in both.
  void add(const Sums& other);

  [[nodiscard]] const Origin* origin() const { return origin_.get(); }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t passed() const { return passed_; }
  [[nodiscard]] const TrialValues& trials() const { return trials_; }
  [[nodiscard]] const std::array<Sample, 2>& values() const { return values_; }
  // Five probabilities and the cubeless equity in money points.
  [[nodiscard]] const std::array<Sample, kChances>& chances() const { return chances_; }

  friend bool operator==(const Sums& one, const Sums& other);

 private:
  void count(const std::vector<TrialValues::Pair>& values);

  std::shared_ptr<const Origin> origin_;
  std::uint64_t count_ = 0;
  std::uint64_t passed_ = 0;
  std::array<Sample, 2> values_;
  std::array<Sample, kChances> chances_;
  TrialValues trials_;
};

// Standard error of the difference of two means over the trials that both have, each trial worth its values times the
// weights. Throws std::invalid_argument if they have none in common.
[[nodiscard]] double difference_error(const Sums& one, const std::array<double, 2>& weights, const Sums& other,
                                      const std::array<double, 2>& other_weights);

}  // namespace botd::rollout
