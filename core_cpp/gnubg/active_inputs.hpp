// A network's input vector as the list of its non-zero entries.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "gnubg/active_input.hpp"

namespace botd::gnubg {

inline constexpr int kContactInputs = 250;
inline constexpr int kRaceInputs = 214;
inline constexpr int kBaseInputs = 200;

class ActiveInputs {
 public:
  // Inputs are added in increasing order, each at most once.
  void add(int input, float value) {
    // Written always, counted only if it is not zero: no branch to mispredict.
    entries_[static_cast<std::size_t>(count_)] = {input, value};
    count_ += value != 0.0F ? 1 : 0;
  }

  // Adds `values` as the inputs first_input, first_input + 1 and so on.
  void add_all(int first_input, std::span<const float> values) {
    int count = count_;  // a local, which the stores into the list cannot change
    for (const float value : values) {
      entries_[static_cast<std::size_t>(count)] = {first_input++, value};
      count += value != 0.0F ? 1 : 0;
    }
    count_ = count;
  }

  void clear() { count_ = 0; }

  [[nodiscard]] const ActiveInput* begin() const { return entries_.data(); }
  [[nodiscard]] const ActiveInput* end() const { return entries_.data() + count_; }
  [[nodiscard]] int count() const { return count_; }

 private:
  std::array<ActiveInput, kContactInputs + 1> entries_;
  int count_ = 0;
};

}  // namespace botd::gnubg
