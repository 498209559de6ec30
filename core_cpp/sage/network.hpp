// One network: its weight file and its memory.
#pragma once

#include <filesystem>

#include "common/aligned_floats.hpp"
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
  FloatBuffer memory_;
  NetworkLayout layout_;
};

}  // namespace botd::sage
