// Long computations in stages, on several threads, with progress and a way to stop.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace botd::bearoff {

struct WorkOptions {
  int threads = 1;  // never changes a result
  // Called now and then, from the calling thread only, with the part done, 0 to 1. False asks to stop.
  std::function<bool(double)> progress;
};

// The progress callback asked to stop.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("stopped on request") {}
};

// Counts finished items over all stages; total is what they will be in the end.
class Work {
 public:
  Work(const WorkOptions& options, std::uint64_t total) : options_(options), total_(total) {}

  // Calls item(i) for each i below n, in any order and on any of the threads, which take `chunk_size` at a
  // time; it must not throw. Returns when all are done. Throws Cancelled, and then not all were called.
  template <class Item>
  void stage(std::size_t n, std::size_t chunk_size, Item&& item) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    const auto chunk = [&] {
      const std::size_t begin = next.fetch_add(chunk_size, std::memory_order_relaxed);
      if (begin >= n || stop.load(std::memory_order_relaxed)) return false;
      const std::size_t end = begin + chunk_size < n ? begin + chunk_size : n;
      for (std::size_t i = begin; i < end; ++i) item(i);
      done_.fetch_add(end - begin, std::memory_order_relaxed);
      return true;
    };
    {
      std::vector<std::jthread> helpers;
      const std::size_t chunks = (n + chunk_size - 1) / chunk_size;
      const auto work_off = [&chunk] {
        while (chunk()) {
        }
      };
      try {
        for (std::size_t i = 1; i < static_cast<std::size_t>(options_.threads) && i < chunks; ++i)
          helpers.emplace_back(work_off);
      } catch (const std::system_error&) {
        // No more threads to be had: those there are do the work.
      }
      try {
        while (chunk()) report();
      } catch (...) {
        stop = true;
        throw;
      }
    }
    report();
  }

 private:
  void report() {
    if (options_.progress &&
        !options_.progress(static_cast<double>(done_.load()) / static_cast<double>(total_)))
      throw Cancelled();
  }

  const WorkOptions& options_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
};

}  // namespace botd::bearoff
