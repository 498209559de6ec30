// Deep networks that value a position by themselves: cubeful equity, cubeless equity, five probabilities or the chance to
// win. Every value is that of the side to play, which has not rolled yet.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/aligned_vector.hpp"
#include "common/cpu_path.hpp"
#include "cube/cube_state.hpp"
#include "nets/dense_network.hpp"
#include "nets/network_file.hpp"
#include "puretd/inputs.hpp"
#include "rules/board.hpp"
#include "rules/probabilities.hpp"

namespace botd::puretd {

// Immutable; threads share one, each with its own Workspace.
class Evaluator {
 public:
  // What one thread keeps between evaluations. Any evaluator may use it.
  struct Workspace {
    nets::DenseNetwork::Scratch network;
    AlignedVector<std::int16_t> inputs;
    std::vector<float> outputs;
  };

  // Throws DataError for a missing or damaged file or one with other inputs than PureTD's.
  [[nodiscard]] static std::shared_ptr<const Evaluator> load(const std::filesystem::path& path,
                                                             nets::Arithmetic arithmetic, CpuPath cpu_path);
  // With these kernels; for comparisons.
  Evaluator(const nets::NetworkFile& file, const std::filesystem::path& path, nets::Arithmetic arithmetic,
            const nets::DenseKernels& kernels);

  [[nodiscard]] nets::NetworkKind kind() const { return kind_; }
  // Knows who owns the cube; else it plays as if there were none.
  [[nodiscard]] bool cubeful() const { return kind_ == nets::NetworkKind::kCubefulEquity; }
  [[nodiscard]] bool has_probabilities() const { return kind_ == nets::NetworkKind::kProbabilities5; }
  // Values a game in which only winning counts.
  [[nodiscard]] bool wins_only() const { return kind_ == nets::NetworkKind::kWin; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Texts of its file, for people.
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] const std::string& licence() const { return licence_; }
  [[nodiscard]] const nets::DenseNetwork& network() const { return network_; }

  // The network's outputs: outputs[i * network().outputs() + k]. Cube and moment mean nothing to cubeless kinds.
  void outputs(std::span<const Board> to_play, CubeOwner cube, Moment moment, std::span<float> outputs,
               Workspace& workspace) const;

  // Equity per unit of the present cube; of kind kWin twice the chance to win less one. Of positions that are not over.
  void equities(std::span<const Board> to_play, CubeOwner cube, Moment moment, std::span<float> equities,
                Workspace& workspace) const;

  // Consistent outcome probabilities, of kind kProbabilities5.
  void probabilities(std::span<const Board> to_play, std::span<Probabilities> values, Workspace& workspace) const;

 private:
  std::filesystem::path path_;
  nets::NetworkKind kind_;
  std::string source_;
  std::string licence_;
  nets::DenseNetwork network_;
};

// Five outputs lowered where they contradict each other.
[[nodiscard]] Probabilities consistent(const float* outputs);

}  // namespace botd::puretd
