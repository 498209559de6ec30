// Search memory that is used again.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "fast/tree.hpp"

namespace botd::fast {

// Workspaces, each used by one thread at a time; of those given back at most kKept are kept for later calls.
class WorkspacePool {
 public:
  static constexpr std::size_t kKept = 16;

  WorkspacePool(std::shared_ptr<const ValueSource> source, std::size_t cache_bytes)
      : source_(std::move(source)), cache_bytes_(cache_bytes) {}

  [[nodiscard]] const ValueSource& source() const { return *source_; }

  // A workspace until the end of its life, for one question.
  class Lease {
   public:
    Lease(WorkspacePool& pool, const Question& question) : pool_(pool), workspace_(pool.take()) {
      pool_.source_->begin(question, workspace_->scratch());
    }
    ~Lease() { pool_.give_back(std::move(workspace_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    [[nodiscard]] Workspace& operator*() const { return *workspace_; }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> workspace_;
  };

 private:
  std::unique_ptr<Workspace> take() {
    {
      const std::scoped_lock lock(mutex_);
      idle_.reserve(kKept);  // giving back must not allocate
      if (!idle_.empty()) {
        auto workspace = std::move(idle_.back());
        idle_.pop_back();
        return workspace;
      }
    }
    return std::make_unique<Workspace>(*source_, cache_bytes_);
  }

  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::scoped_lock lock(mutex_);
    if (idle_.size() < kKept) idle_.push_back(std::move(workspace));
  }

  std::shared_ptr<const ValueSource> source_;
  std::size_t cache_bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace botd::fast
