// One network: its weight file and its memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "sage/forward.hpp"

namespace botd::sage {

struct NetworkShape {
  int hidden;
  int inputs;
};

inline constexpr NetworkShape kRaceShape{100, 196};
inline constexpr NetworkShape kContactShape{400, 244};

// Immutable after construction.
class Network {
 public:
  // Reads a weight file. Throws DataError if it is missing, of another size or shape, or holds a weight
  // that is not a finite number of reasonable size.
  Network(const std::filesystem::path& path, NetworkShape shape);

  [[nodiscard]] const NetworkLayout& layout() const { return layout_; }

 private:
  struct Free {
    void operator()(float* memory) const;
  };
  std::unique_ptr<float[], Free> memory_;
  NetworkLayout layout_;
};

// Floats in a block of memory that starts on a 64-byte boundary, all zero.
[[nodiscard]] float* allocate_floats(std::size_t count);
void free_floats(float* memory);

}  // namespace botd::sage
