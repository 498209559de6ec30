// botd's own format for networks of dense layers.
//
// Little-endian: 8 bytes "botdnet1"; a 32-bit length; that many bytes of a JSON object in UTF-8, padded with spaces so
// that what follows begins at a multiple of 64; for each layer its float32 weights [output][input] and its float32
// biases; last the 32 bytes of the SHA-256 of everything before them. Keys of the object:
//   kind                what the outputs are, a name of NetworkKind
//   encoding            name of the inputs, lower-case letters, digits and underscores, as "perspective196"
//   inputs              their number
//   layers              the number of outputs of each layer, the network's own last
//   hidden_activation   "relu", after every layer but the last
//   output_activation   "linear" for equities, "logistic" for probabilities
//   source, licence     texts for people
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace botd::nets {

inline constexpr std::size_t kLargestNetworkFile = std::size_t{64} << 20;
// Far beyond any trained weight, and small enough that no sum can overflow.
inline constexpr float kLargestWeight = 1.0e6F;

enum class NetworkKind : std::uint8_t {
  kCubefulEquity,    // "cubeful_equity": one number, points per unit of the present cube
  kCubelessEquity,   // "cubeless_equity": one number, points
  kProbabilities5,   // "probabilities5": win, win gammon, win backgammon, lose gammon, lose backgammon
  kWin,              // "win": the chance to win a game where gammons do not count
  kRoughEquity,      // "rough_equity": one number in points, good enough to rank plays
};

[[nodiscard]] const char* name(NetworkKind kind);
// The number of outputs of a network of this kind.
[[nodiscard]] std::size_t outputs_of(NetworkKind kind);
// Whether the outputs pass the logistic function; else they are the last layer's own.
[[nodiscard]] bool has_logistic_output(NetworkKind kind);

struct DenseLayer {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::vector<float> weights;  // outputs x inputs, all weights of one output together
  std::vector<float> biases;   // outputs
};

struct NetworkFile {
  NetworkKind kind{};
  std::string encoding;
  std::vector<DenseLayer> layers;  // never empty
  std::string source;
  std::string licence;

  [[nodiscard]] std::size_t inputs() const { return layers.front().inputs; }
};

// Content of a whole file, whose name in errors is `name`. Throws DataError, naming the place and what was expected,
// for content that is cut short, too long, of another shape or sum, or holds a weight that is not a finite number of at
// most a million.
[[nodiscard]] NetworkFile parse_network(std::string_view content, const std::string& name);

// The same of a file, which must be a regular one.
[[nodiscard]] NetworkFile read_network(const std::filesystem::path& path);

}  // namespace botd::nets
