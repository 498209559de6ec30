// Memory for vector kernels.
#pragma once

#include <cstddef>
#include <memory>

namespace botd {

// Floats in a block of memory that starts on a 64-byte boundary, all zero.
[[nodiscard]] float* allocate_floats(std::size_t count);
void free_floats(float* memory);

struct FreeFloats {
  void operator()(float* memory) const { free_floats(memory); }
};
using FloatBuffer = std::unique_ptr<float[], FreeFloats>;

}  // namespace botd
