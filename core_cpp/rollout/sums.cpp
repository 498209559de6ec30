#include "rollout/sums.hpp"

#include <iterator>
#include <stdexcept>

namespace botd::rollout {
namespace {

double number(std::int64_t units) { return std::ldexp(static_cast<double>(units), -ExactSum::kFractionBits); }

void check_same_origin(const Origin& one, const Origin& other) {
  const auto refuse = [](const char* what) {
    throw std::invalid_argument(std::string("rollout: expected games of one ") + what + ", got two");
  };
  if (one.evaluator != other.evaluator) refuse("evaluator and CPU path");
  if (!(one.board == other.board) || one.state != other.state) refuse("position");
  if (one.settings != other.settings) refuse("way to roll out");
}

}  // namespace

void TrialValues::check_new(std::uint64_t first, std::uint64_t count) const {
  const auto after = ranges_.lower_bound(first);
  const bool overlaps_next = after != ranges_.end() && after->first - first < count;
  const bool overlaps_last = after != ranges_.begin() &&
                             first - std::prev(after)->first < std::prev(after)->second.size();
  if (overlaps_next || overlaps_last) throw std::invalid_argument("rollout: expected each game once");
}

void TrialValues::add(std::uint64_t first, const std::vector<Pair>& values) {
  if (values.empty()) return;
  check_new(first, values.size());
  const auto after = ranges_.upper_bound(first);
  auto range = after;
  if (after != ranges_.begin() && std::prev(after)->first + std::prev(after)->second.size() == first) {
    range = std::prev(after);
    range->second.insert(range->second.end(), values.begin(), values.end());
  } else {
    range = ranges_.emplace_hint(after, first, values);
  }
  if (after != ranges_.end() && first + values.size() == after->first) {
    range->second.insert(range->second.end(), after->second.begin(), after->second.end());
    ranges_.erase(after);
  }
}

void TrialValues::add(const TrialValues& other) {
  for (const auto& [first, values] : other.ranges_) check_new(first, values.size());
  for (const auto& [first, values] : other.ranges_) add(first, values);
}

Sums::Sums(std::shared_ptr<const Origin> origin, TrialValues trials, std::uint64_t passed,
           const std::array<Sample, kChances>& chances)
    : origin_(std::move(origin)), passed_(passed), chances_(chances), trials_(std::move(trials)) {
  for (const auto& [first, values] : trials_.ranges()) count(values);
  if (passed_ > count_) throw std::invalid_argument("rollout: expected at most as many passes as games");
}

void Sums::count(const std::vector<TrialValues::Pair>& values) {
  count_ += values.size();
  for (const TrialValues::Pair& pair : values) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i].add(number(pair[i]));
  }
}

void Sums::add(std::uint64_t first, const std::vector<Outcome>& outcomes) {
  std::vector<TrialValues::Pair> values;
  values.reserve(outcomes.size());
  for (const Outcome& outcome : outcomes) {
    values.push_back({ExactSum::units(outcome.values[0]), ExactSum::units(outcome.values[1])});
  }
  trials_.add(first, values);
  count(values);
  for (const Outcome& outcome : outcomes) {
    passed_ += outcome.passed ? 1 : 0;
    const std::array<double, 5>& p = outcome.probabilities;
    for (std::size_t i = 0; i < p.size(); ++i) chances_[i].add(p[i]);
    chances_.back().add(2.0 * p[0] - 1.0 + p[1] - p[3] + p[2] - p[4]);
  }
}

void Sums::add(const Sums& other) {
  if (origin_ && other.origin_) check_same_origin(*origin_, *other.origin_);
  trials_.add(other.trials_);
  if (!origin_) origin_ = other.origin_;
  count_ += other.count_;
  passed_ += other.passed_;
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i].add(other.values_[i]);
  for (std::size_t i = 0; i < chances_.size(); ++i) chances_[i].add(other.chances_[i]);
}

bool operator==(const Sums& one, const Sums& other) {
  const bool same_origin = one.origin_ && other.origin_ ? *one.origin_ == *other.origin_ : one.origin_ == other.origin_;
  return same_origin && one.passed_ == other.passed_ && one.chances_ == other.chances_ &&
         one.trials_ == other.trials_;
}

double difference_error(const Sums& one, const std::array<double, 2>& weights, const Sums& other,
                        const std::array<double, 2>& other_weights) {
  Sample sample;
  std::uint64_t count = 0;
  const auto worth = [](const TrialValues::Pair& values, const std::array<double, 2>& by) {
    return by[0] * number(values[0]) + by[1] * number(values[1]);
  };
  for (const auto& [first, values] : one.trials().ranges()) {
    for (const auto& [other_first, other_values] : other.trials().ranges()) {
      const std::uint64_t begin = std::max(first, other_first);
      const std::uint64_t end = std::min(first + values.size(), other_first + other_values.size());
      for (std::uint64_t trial = begin; trial < end; ++trial, ++count) {
        sample.add(worth(values[trial - first], weights) - worth(other_values[trial - other_first], other_weights));
      }
    }
  }
  if (count == 0) throw std::invalid_argument("rollout: expected at least one game that both have");
  return sample.standard_error(count);
}

}  // namespace botd::rollout
