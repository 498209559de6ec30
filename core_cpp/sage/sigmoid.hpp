// The logistic function, in the two forms that the networks were made with.
#pragma once

namespace botd::sage {

// For outputs, and for hidden units beyond the last full group of eight: linear interpolation in a table,
// exactly 0 from -8 down and exactly 1 from 8 up. The cut-off is part of the networks' definition.
[[nodiscard]] float table_sigmoid(float y);

// 2^f on [-1/2, 1/2] as a polynomial, lowest power first (interpolation at the Chebyshev nodes, relative
// error below 4e-9); the hidden units' sigmoid is 1 / (1 + 2^(-z log2 e)).
inline constexpr float kExp2Coefficients[7] = {
    1.0F,          0.693147207F,  0.240226509F,   0.0555032723F,
    0.00961805668F, 0.00134004282F, 0.000154614447F};
inline constexpr float kLog2E = 1.44269504F;
// Beyond it the function is 0 or 1 to single precision and the exponent would overflow.
inline constexpr float kSigmoidLimit = 87.0F;

}  // namespace botd::sage
