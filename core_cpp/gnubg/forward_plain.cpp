#include <array>
#include <cmath>
#include <stdexcept>

#include "gnubg/forward.hpp"
#include "gnubg/network_shape.hpp"
#include "gnubg/sigmoid.hpp"

#ifdef BOTD_X86
#include <xmmintrin.h>
#endif

namespace botd::gnubg {
namespace {

// A few units at a time, so that their sums stay in registers while all inputs pass.
constexpr std::size_t kBlock = 16;
static_assert(kBlock == kLanes);
using Block = std::array<float, kBlock>;

Block hidden_sums(const NetworkLayout& layout, const ActiveInput* inputs, int count, std::size_t first) {
  Block sums;
  for (std::size_t j = 0; j < kBlock; ++j) sums[j] = layout.hidden_threshold[first + j];
  for (int c = 0; c < count; ++c) {
    const float* row = layout.rows + static_cast<std::ptrdiff_t>(inputs[c].input) * layout.stride + first;
    const float value = inputs[c].value;
    for (std::size_t j = 0; j < kBlock; ++j) sums[j] += value * row[j];
  }
  return sums;
}

struct ExactDivision {
  static void invert(Block& x) {
    for (float& value : x) value = 1.0F / value;
  }
};

#ifdef BOTD_X86
struct ApproximateReciprocal {
  static void invert(Block& x) {
    for (std::size_t j = 0; j < kBlock; j += 4) _mm_storeu_ps(&x[j], _mm_rcp_ps(_mm_loadu_ps(&x[j])));
  }
};
#endif

template <typename Division>
void activate(Block& z) {
  Block inverse;
  for (std::size_t j = 0; j < kBlock; ++j) {
    z[j] *= kHiddenBeta;
    const float size = std::fabs(z[j]);
    const float scaled = (size < kSigmoidLimit ? size : kSigmoidLimit) * kSigmoidSteps;
    const int knot = static_cast<int>(scaled);
    const float fraction = scaled - static_cast<float>(knot);
    inverse[j] = 1.0F + kSigmoidTable[static_cast<std::size_t>(knot)] * (10.0F + fraction);
  }
  Division::invert(inverse);
  for (std::size_t j = 0; j < kBlock; ++j) z[j] = z[j] < 0.0F ? inverse[j] : 1.0F - inverse[j];
}

float pairwise_sum(Block lanes) {
  for (std::size_t width = kBlock / 2; width > 0; width /= 2)
    for (std::size_t j = 0; j < width; ++j) lanes[j] += lanes[j + width];
  return lanes[0];
}

template <typename Division>
void forward(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs) {
  std::array<Block, kOutputs> sums{};
  for (std::size_t first = 0; first < static_cast<std::size_t>(layout.stride); first += kBlock) {
    Block hidden = hidden_sums(layout, inputs, count, first);
    activate<Division>(hidden);
    for (std::size_t k = 0; k < kOutputs; ++k) {
      const float* weights = layout.output + k * static_cast<std::size_t>(layout.stride) + first;
      for (std::size_t j = 0; j < kBlock; ++j) sums[k][j] += weights[j] * hidden[j];
    }
  }
  for (std::size_t k = 0; k < kOutputs; ++k) outputs[k] = pairwise_sum(sums[k]) + layout.output_threshold[k];
}

}  // namespace

ForwardFunction forward_function(CpuPath path, HiddenDivision division) {
#ifdef BOTD_X86
  const bool exact = division == HiddenDivision::kExact;
  switch (path) {
    case CpuPath::avx2:
      return exact ? forward_avx2 : forward_reciprocal_avx2;
    case CpuPath::avx512:
      return exact ? forward_avx512 : forward_reciprocal_avx512;
    case CpuPath::plain:
      return exact ? forward_plain : forward_reciprocal_plain;
  }
#else
  (void)path;
  if (division == HiddenDivision::kReciprocal)
    throw std::invalid_argument("division: this processor has no reciprocal instruction like gnubg's on x86-64");
#endif
  return forward_plain;
}

void forward_plain(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs) {
  forward<ExactDivision>(layout, inputs, count, outputs);
}

#ifdef BOTD_X86
void forward_reciprocal_plain(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs) {
  forward<ApproximateReciprocal>(layout, inputs, count, outputs);
}
#endif

}  // namespace botd::gnubg
