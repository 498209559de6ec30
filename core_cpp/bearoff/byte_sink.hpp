// Where a database goes while it is put together.
#pragma once

#include <cstddef>
#include <span>

namespace botd::bearoff {

class ByteSink {
 public:
  virtual void write(std::span<const std::byte> bytes) = 0;

 protected:
  ~ByteSink() = default;
};

}  // namespace botd::bearoff
