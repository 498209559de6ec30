// One network in memory.
#pragma once

#include "common/aligned_floats.hpp"
#include "gnubg/active_inputs.hpp"
#include "gnubg/forward.hpp"
#include "gnubg/weights.hpp"
#include "rules/probabilities.hpp"

namespace botd::gnubg {

// Immutable after construction.
class Network {
 public:
  Network(const NetworkShape& shape, const NetworkWeights& weights, ForwardFunction forward);

  // The outputs as the network gives them.
  [[nodiscard]] Probabilities outputs(const ActiveInputs& inputs) const;

 private:
  FloatBuffer memory_;
  NetworkLayout layout_;
  ForwardFunction forward_;
};

}  // namespace botd::gnubg
