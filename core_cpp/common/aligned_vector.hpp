// Vectors whose memory starts on a 64-byte boundary, for vector kernels.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace botd {

template <typename Value>
struct AlignedAllocator {
  using value_type = Value;
  static constexpr std::align_val_t kAlignment{64};

  AlignedAllocator() = default;
  template <typename Other>
  explicit AlignedAllocator(const AlignedAllocator<Other>& /*other*/) {}

  [[nodiscard]] Value* allocate(std::size_t count) {
    return static_cast<Value*>(::operator new(count * sizeof(Value), kAlignment));
  }
  void deallocate(Value* memory, std::size_t /*count*/) { ::operator delete(memory, kAlignment); }

  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

template <typename Value>
using AlignedVector = std::vector<Value, AlignedAllocator<Value>>;

}  // namespace botd
