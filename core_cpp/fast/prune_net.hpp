// The rough network: a small network of our own that ranks the plays of a roll, far cheaper than an evaluator does.
//
// One hidden layer over the inputs of prune_inputs, computed in 16-bit whole numbers: every CPU path and every base give
// the same values, bit for bit.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "common/cpu_path.hpp"
#include "nets/network_file.hpp"
#include "rules/board.hpp"

namespace botd::fast {

// Immutable; threads share one instance, each with its own Workspace.
class PruneNet {
 public:
  static constexpr std::size_t kMaxHidden = 1024;

  // The latest unmoved board and its hidden units. Movable, never shared between threads at the same time.
  class Workspace {
   public:
    Workspace();
    ~Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;

   private:
    friend class PruneNet;
    struct Buffers;
    std::unique_ptr<Buffers> buffers_;
  };

  // Reads a network of the kind "rough_equity", encoding "rough318" and one hidden layer. Throws DataError if the
  // file is missing, damaged or of another shape, std::invalid_argument if this machine lacks `path`.
  [[nodiscard]] static std::shared_ptr<const PruneNet> load(const std::filesystem::path& file,
                                                            CpuPath path = best_cpu_path());

  // The same from the content of such a file; errors call it `name`.
  PruneNet(const nets::NetworkFile& network, const std::string& name, CpuPath path);
  ~PruneNet();
  PruneNet(const PruneNet&) = delete;
  PruneNet& operator=(const PruneNet&) = delete;

  // Rough cubeless equities in points of money play, seen by the side that has moved, the opponent to roll: for ranking
  // and margins, not for decisions. The boards must be possible and come from `unmoved` by one play, or be that board.
  // Finished games are valued as such. Throws std::invalid_argument for spans of different length.
  void evaluate(std::span<const Board> post_move, const Board& unmoved, std::span<float> out,
                Workspace& workspace) const;

  [[nodiscard]] CpuPath cpu_path() const;
  [[nodiscard]] std::size_t hidden() const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;  // workspaces hold it too
};

}  // namespace botd::fast
