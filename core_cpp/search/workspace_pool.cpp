#include "search/workspace_pool.hpp"

#include <utility>

namespace botd {

WorkspacePool::Lease::Lease(WorkspacePool& pool) : pool_(pool) {
  {
    const std::scoped_lock lock(pool_.mutex_);
    pool_.idle_.reserve(kKept);  // giving back must not allocate
    if (!pool_.idle_.empty()) {
      workspace_ = std::move(pool_.idle_.back());
      pool_.idle_.pop_back();
    }
  }
  if (!workspace_) workspace_ = std::make_unique<TreeWorkspace>(pool_.source_);
}

WorkspacePool::Lease::~Lease() {
  const std::scoped_lock lock(pool_.mutex_);
  if (pool_.idle_.size() < kKept) pool_.idle_.push_back(std::move(workspace_));
}

std::size_t WorkspacePool::kept() const {
  const std::scoped_lock lock(mutex_);
  return idle_.size();
}

}  // namespace botd
