// One non-zero entry of an input vector.
#pragma once

#include <cstdint>

namespace botd::gnubg {

struct ActiveInput {
  std::int32_t input;
  float value;
};

}  // namespace botd::gnubg
