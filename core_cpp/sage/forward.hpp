// The two-layer forward pass, and what changes in its inputs. One function per processor kind, all of one signature and equal up to
// rounding; the files *_avx2.cpp and *_avx512.cpp are compiled for their processors and must therefore share
// no inline code with others (the linker would keep only one copy of it).
#pragma once

#include <cstdint>

#include "common/cpu_path.hpp"

namespace botd::sage {

inline constexpr int kOutputs = 5;
// Hidden units are worked on in tiles; a network is padded with zero weights to a multiple of this.
inline constexpr int kTile = 80;

// Weights laid out for the kernels; every row starts on a 64-byte boundary.
struct NetworkLayout {
  const float* columns = nullptr;      // inputs x stride: what one input adds to every hidden unit
  const float* hidden_bias = nullptr;  // stride
  const float* output = nullptr;       // kOutputs x stride
  const float* output_bias = nullptr;  // kOutputs
  int stride = 0;                      // hidden units, padded
  int hidden = 0;
};

// A change of one input.
struct InputChange {
  std::int32_t input;
  float delta;
};

// One board: what its first layer starts from (layout.stride floats, 64-byte aligned), and what is to be added.
struct Row {
  const float* start = nullptr;
  const InputChange* changes = nullptr;
  int count = 0;
};

// Rows of one call, at most; a tile of the weights stays in the fastest cache while they all use it.
inline constexpr int kMostRows = 16;

// z = start + sum of changes. `z` has the form of `row.start` and may be the same memory.
using AccumulateFunction = void (*)(const NetworkLayout& layout, const Row& row, float* z);
// The output sums before their sigmoid; writes kOutputs floats for each of the `count` rows. What a row gives does
// not depend on the others.
using OutputsFunction = void (*)(const NetworkLayout& layout, const Row* rows, int count, float* outputs);

// Finds the inputs, numbered from first_input, that have other `values` than in `base`; returns their number. Numbers
// up to the next multiple of kChangesAtOnce may be written behind them.
using ChangesFunction = int (*)(const float* values, const float* base, int count, int first_input,
                                InputChange* changes);
inline constexpr int kChangesAtOnce = 16;

struct ForwardKernels {
  AccumulateFunction accumulate = nullptr;
  OutputsFunction outputs = nullptr;
  ChangesFunction changes = nullptr;
};

// `path` must be one of available_cpu_paths().
[[nodiscard]] ForwardKernels forward_kernels(CpuPath path);

void accumulate_plain(const NetworkLayout&, const Row&, float*);
void outputs_plain(const NetworkLayout&, const Row*, int, float*);
int changes_plain(const float*, const float*, int, int, InputChange*);
#ifdef BOTD_X86
void accumulate_avx2(const NetworkLayout&, const Row&, float*);
void outputs_avx2(const NetworkLayout&, const Row*, int, float*);
int changes_avx2(const float*, const float*, int, int, InputChange*);
void accumulate_avx512(const NetworkLayout&, const Row&, float*);
void outputs_avx512(const NetworkLayout&, const Row*, int, float*);
int changes_avx512(const float*, const float*, int, int, InputChange*);
#endif

}  // namespace botd::sage
