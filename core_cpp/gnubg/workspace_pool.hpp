// Workspaces kept between decisions.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gnubg/node_search.hpp"
#include "gnubg/static_source.hpp"

namespace botd::gnubg {

// One workspace for every thread that decides at the same time, all of one source.
class WorkspacePool {
 public:
  explicit WorkspacePool(std::shared_ptr<const StaticSource> source) : source_(std::move(source)) {}

  [[nodiscard]] const StaticSource& source() const { return *source_; }

  // A workspace for as long as the lease lives.
  class Lease {
   public:
    explicit Lease(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
    ~Lease() { pool_.give_back(std::move(workspace_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    [[nodiscard]] SearchWorkspace& operator*() const { return *workspace_; }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<SearchWorkspace> workspace_;
  };

 private:
  std::unique_ptr<SearchWorkspace> take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        auto workspace = std::move(idle_.back());
        idle_.pop_back();
        return workspace;
      }
    }
    return std::make_unique<SearchWorkspace>(*source_);
  }

  void give_back(std::unique_ptr<SearchWorkspace> workspace) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(workspace));
  }

  std::shared_ptr<const StaticSource> source_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SearchWorkspace>> idle_;
};

}  // namespace botd::gnubg
