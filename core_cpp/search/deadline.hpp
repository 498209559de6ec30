// The time a search may take.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>

namespace botd {

class DeadlineExceeded : public std::runtime_error {
 public:
  DeadlineExceeded() : std::runtime_error("the search did not finish within its time limit") {}
};

class Deadline {
 public:
  // No limit.
  Deadline() = default;

  // From now on; seconds of 0 or less have passed already.
  explicit Deadline(double seconds) {
    constexpr double kFarAway = 1e8;  // a few years, within the range of every clock
    const std::chrono::duration<double> span(std::clamp(seconds, 0.0, kFarAway));
    at_ = std::chrono::steady_clock::now() +
          std::chrono::duration_cast<std::chrono::steady_clock::duration>(span);
  }

  // The same limit with one more way to end: a caller's wish, or that another thread has failed.
  Deadline(const Deadline& limit, std::stop_token stop)
      : at_(limit.at_), stop_(std::move(stop)), outer_stop_(limit.stop_) {}

  // It can end at all.
  [[nodiscard]] bool limited() const { return at_.has_value() || stop_.stop_possible(); }

  // Throws DeadlineExceeded when the time is over or the search was stopped.
  void check() const {
    if (stop_.stop_requested() || outer_stop_.stop_requested()) throw DeadlineExceeded();
    if (at_ && std::chrono::steady_clock::now() >= *at_) throw DeadlineExceeded();
  }

 private:
  std::optional<std::chrono::steady_clock::time_point> at_;
  std::stop_token stop_;
  std::stop_token outer_stop_;
};

}  // namespace botd
