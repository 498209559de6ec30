#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "gnubg/forward.hpp"
#include "gnubg/network_shape.hpp"
#include "gnubg/sigmoid.hpp"

#ifdef BOTD_X86
#include <xmmintrin.h>
#endif

namespace botd::gnubg {
namespace {

// Four lanes as GCC and Clang have them on every processor; plain loops over floats were not made vector code.
using Four = float __attribute__((vector_size(16), may_alias));
using FourInts = std::int32_t __attribute__((vector_size(16)));
constexpr std::size_t kWidth = 4;
constexpr std::size_t kParts = kLanes / kWidth;
// Units of a large network that are worked on at a time, so that their sums stay in registers while all inputs pass.
constexpr std::size_t kMostRegisters = 8;

template <std::size_t kCount>
struct Registers {
  Four part[kCount];
};

Four load(const float* numbers) { return *reinterpret_cast<const Four*>(numbers); }

template <std::size_t kRegisters>
Registers<kRegisters> hidden_sums(const NetworkLayout& layout, const ActiveInput* inputs, int count,
                                  std::size_t first) {
  Registers<kRegisters> sums;
  for (std::size_t r = 0; r < kRegisters; ++r) sums.part[r] = load(layout.hidden_threshold + first + r * kWidth);
  for (int c = 0; c < count; ++c) {
    const float* row = layout.rows + static_cast<std::ptrdiff_t>(inputs[c].input) * layout.stride + first;
    const float value = inputs[c].value;
    for (std::size_t r = 0; r < kRegisters; ++r) sums.part[r] += value * load(row + r * kWidth);
  }
  return sums;
}

struct ExactDivision {
  static Four inverse(Four x) { return 1.0F / x; }
};

#ifdef BOTD_X86
struct ApproximateReciprocal {
  static Four inverse(Four x) { return _mm_rcp_ps(x); }
};
#endif

template <typename Division>
Four activation(Four z) {
  z *= kHiddenBeta;
  Four scaled{};
  for (std::size_t j = 0; j < kWidth; ++j) scaled[j] = std::min(std::fabs(z[j]), kSigmoidLimit) * kSigmoidSteps;
  const FourInts knot = __builtin_convertvector(scaled, FourInts);
  Four table{};
  for (std::size_t j = 0; j < kWidth; ++j) table[j] = kSigmoidTable[static_cast<std::size_t>(knot[j])];
  const Four fraction = scaled - __builtin_convertvector(knot, Four);
  const Four s = Division::inverse(1.0F + table * (10.0F + fraction));
  const Four other = 1.0F - s;
  Four result{};
  for (std::size_t j = 0; j < kWidth; ++j) result[j] = z[j] < 0.0F ? s[j] : other[j];
  return result;
}

using Sums = Registers<kParts>;  // the kLanes parts of one output

float pairwise_sum(const Sums& sums) {
  const Four four = (sums.part[0] + sums.part[2]) + (sums.part[1] + sums.part[3]);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

template <typename Division, std::size_t kRegisters>
void add_units(const NetworkLayout& layout, const ActiveInput* inputs, int count, std::size_t first,
               std::array<Sums, kOutputs>& sums) {
  const Registers<kRegisters> z = hidden_sums<kRegisters>(layout, inputs, count, first);
  for (std::size_t r = 0; r < kRegisters; ++r) {
    const Four hidden = activation<Division>(z.part[r]);
    const float* weights = layout.output + first + r * kWidth;
    for (Sums& output : sums) {
      output.part[r % kParts] += load(weights) * hidden;
      weights += layout.stride;
    }
  }
}

template <typename Division>
void forward(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs) {
  std::array<Sums, kOutputs> sums{};
  if (layout.stride == kLanes) {
    add_units<Division, kParts>(layout, inputs, count, 0, sums);
  } else {
    for (std::size_t first = 0; first < static_cast<std::size_t>(layout.stride); first += kMostRegisters * kWidth)
      add_units<Division, kMostRegisters>(layout, inputs, count, first, sums);
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
