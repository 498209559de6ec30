#include "common/aligned_floats.hpp"

#include <algorithm>
#include <new>

namespace botd {
namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

float* allocate_floats(std::size_t count) {
  auto* memory = static_cast<float*>(::operator new(count * sizeof(float), kAlignment));
  std::fill_n(memory, count, 0.0F);
  return memory;
}

void free_floats(float* memory) { ::operator delete(memory, kAlignment); }

}  // namespace botd
