// The two-layer forward pass. One function per processor kind and division, all of one signature; for one kind
// of division they give the same bits. The files *_avx2.cpp and *_avx512.cpp are compiled for their processors
// and must therefore share no inline code with others (the linker would keep only one copy of it).
#pragma once

#include <cstdint>

#include "common/cpu_path.hpp"
#include "gnubg/active_input.hpp"

namespace botd::gnubg {

// kReciprocal: the hidden layer divides with the processor's approximate reciprocal (RCPPS), as the usual
// x86-64 packages of gnubg 1.07 do.
enum class HiddenDivision : std::uint8_t { kExact, kReciprocal };

// Output sums are made in this many interleaved parts (hidden unit j goes to part j modulo kLanes), which are then
// added pairwise. Networks are padded with zero weights to a multiple of it.
inline constexpr int kLanes = 16;

// Weights laid out for the kernels; every row starts on a 64-byte boundary.
struct NetworkLayout {
  const float* rows = nullptr;              // inputs x stride: what one input adds to every hidden unit
  const float* hidden_threshold = nullptr;  // stride
  const float* output = nullptr;            // kOutputs x stride
  const float* output_threshold = nullptr;  // kOutputs
  int stride = 0;                           // hidden units, padded: 16 or 128
};

// Writes the kOutputs output sums before their activation.
using ForwardFunction = void (*)(const NetworkLayout& layout, const ActiveInput* inputs, int count, float* outputs);

// `path` must be one of available_cpu_paths(). Throws std::invalid_argument for kReciprocal where the processor
// has no such instruction.
[[nodiscard]] ForwardFunction forward_function(CpuPath path, HiddenDivision division);

void forward_plain(const NetworkLayout&, const ActiveInput*, int, float*);
#ifdef BOTD_X86
void forward_reciprocal_plain(const NetworkLayout&, const ActiveInput*, int, float*);
void forward_avx2(const NetworkLayout&, const ActiveInput*, int, float*);
void forward_reciprocal_avx2(const NetworkLayout&, const ActiveInput*, int, float*);
void forward_avx512(const NetworkLayout&, const ActiveInput*, int, float*);
void forward_reciprocal_avx512(const NetworkLayout&, const ActiveInput*, int, float*);
#endif

}  // namespace botd::gnubg
