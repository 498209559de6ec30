// The six networks that a weight file holds.
#pragma once

#include <array>
#include <cstddef>

namespace botd::gnubg {

inline constexpr std::size_t kNetworks = 6;
inline constexpr int kOutputs = 5;

// In the order of the files.
enum NetworkIndex : std::size_t {
  kContactNetwork,
  kRaceNetwork,
  kCrashedNetwork,
  kPruningContactNetwork,
  kPruningCrashedNetwork,
  kPruningRaceNetwork
};

struct NetworkShape {
  const char* name;
  int inputs;
  int hidden;
};
inline constexpr std::array<NetworkShape, kNetworks> kNetworkShapes{{{"contact", 250, 128},
                                                                     {"race", 214, 128},
                                                                     {"crashed", 250, 128},
                                                                     {"pruning contact", 200, 16},
                                                                     {"pruning crashed", 200, 16},
                                                                     {"pruning race", 200, 8}}};

// Slope of the activation, the same in every published file.
inline constexpr float kHiddenBeta = 0.1F;
inline constexpr float kOutputBeta = 1.0F;

}  // namespace botd::gnubg
