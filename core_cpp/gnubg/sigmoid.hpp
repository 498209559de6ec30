// gnubg's approximation of the logistic function.
#pragma once

#include <array>

namespace botd::gnubg {

// Entry n is e^(n/10) / 10, n = 0..99; the entries beyond repeat the last one, so that vectors can be loaded.
inline constexpr int kSigmoidEntries = 112;
alignas(64) extern const std::array<float, kSigmoidEntries> kSigmoidTable;

inline constexpr float kSigmoidLimit = 10.0F;
inline constexpr float kSigmoidSteps = 10.0F;  // knots per unit

// Between knots e^|z| is its first-order expansion about the knot below, so the function jumps a little at each
// (by 1.2e-3 at most); beyond +-10 it is constant.
[[nodiscard]] float sigmoid(float z);

}  // namespace botd::gnubg
