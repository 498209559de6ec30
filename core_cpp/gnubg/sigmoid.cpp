#include "gnubg/sigmoid.hpp"

#include <algorithm>
#include <cmath>

namespace botd::gnubg {
namespace {

constexpr int kKnots = 100;

// The exponential series; all terms are positive, so nothing cancels.
constexpr double exponential(double x) {
  double sum = 1.0;
  double term = 1.0;
  for (int n = 1; n < 80; ++n) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

constexpr std::array<float, kSigmoidEntries> make_table() {
  std::array<float, kSigmoidEntries> table{};
  for (int n = 0; n < kSigmoidEntries; ++n)
    table[static_cast<std::size_t>(n)] = static_cast<float>(exponential(std::min(n, kKnots - 1) / 10.0) / 10.0);
  return table;
}

}  // namespace

constexpr std::array<float, kSigmoidEntries> kSigmoidTable = make_table();

float sigmoid(float z) {
  const float scaled = std::min(std::fabs(z), kSigmoidLimit) * kSigmoidSteps;
  const int knot = static_cast<int>(scaled);
  const float fraction = scaled - static_cast<float>(knot);
  const float s = 1.0F / (1.0F + kSigmoidTable[static_cast<std::size_t>(knot)] * (10.0F + fraction));
  return z < 0.0F ? s : 1.0F - s;
}

}  // namespace botd::gnubg
