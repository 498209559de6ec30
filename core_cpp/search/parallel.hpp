// The same work for many indices on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

namespace botd {

// Calls worker(index) once for every index below `count`, on up to `threads` threads of which the caller's is
// one, and returns when all is done. make_worker(stop) is called in each thread and returns its own worker, so
// that every thread has memory of its own; indices are handed out as workers get free, so what a worker
// computes must not depend on those it got before.
//
// The first exception is thrown on in the caller's thread; the others are told by `stop` to give up, and theirs
// are dropped. If the system refuses a thread, those that there are do the work.
template <typename MakeWorker>
void for_each_index(std::size_t count, int threads, const MakeWorker& make_worker) {
  std::stop_source stop;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first;
  const auto work = [&] {
    try {
      auto worker = make_worker(stop.get_token());
      for (std::size_t index = next++; index < count && !stop.stop_requested(); index = next++) worker(index);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!first) first = std::current_exception();
      stop.request_stop();
    }
  };
  {
    const std::size_t helpers = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
    std::vector<std::jthread> running;  // joined at the end of the block, whatever happens
    running.reserve(helpers);
    try {
      for (std::size_t i = 1; i < helpers; ++i) running.emplace_back(work);
    } catch (const std::system_error&) {
    }
    work();
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace botd
