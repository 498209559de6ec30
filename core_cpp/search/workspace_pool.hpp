// Search memory that is used again.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "search/tree.hpp"

namespace botd {

// Workspaces, each used by one thread at a time. As many as threads search at once; of those given back a few
// are kept for later calls, at most kKept, each of them TreeWorkspace::kMaxMemoBytes and a few hundred kilobytes.
class WorkspacePool {
 public:
  static constexpr std::size_t kKept = 16;

  explicit WorkspacePool(const StaticSource& source) : source_(source) {}

  // A workspace until the end of its life.
  class Lease {
   public:
    explicit Lease(WorkspacePool& pool);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    [[nodiscard]] TreeWorkspace& operator*() const { return *workspace_; }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<TreeWorkspace> workspace_;
  };

  [[nodiscard]] std::size_t kept() const;

 private:
  const StaticSource& source_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<TreeWorkspace>> idle_;
};

}  // namespace botd
