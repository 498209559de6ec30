#include "fast/settings.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "search/arguments.hpp"

namespace botd::fast {

void check_settings(const Settings& settings) {
  check_threads(settings.threads);
  const ReplyPruning& pruning = settings.pruning;
  if (pruning.least < 1 || pruning.most < pruning.least || pruning.most > ReplyPruning::kAll) {
    throw std::invalid_argument("replies: expected at least 1 and no more than " +
                                std::to_string(ReplyPruning::kAll) + " of them, the most not below the least, got " +
                                std::to_string(pruning.least) + " to " + std::to_string(pruning.most));
  }
  if (!std::isfinite(pruning.margin) || pruning.margin < 0.0) {
    throw std::invalid_argument("margin of replies: expected 0 or more, got " + std::to_string(pruning.margin));
  }
  for (const Narrowing& narrowing : settings.narrowing) {
    if (narrowing.most < 1) {
      throw std::invalid_argument("narrowing: expected at least 1 play to go on, got " +
                                  std::to_string(narrowing.most));
    }
    if (!std::isfinite(narrowing.threshold) || narrowing.threshold < 0.0) {
      throw std::invalid_argument("narrowing: expected a threshold of 0 or more, got " +
                                  std::to_string(narrowing.threshold));
    }
  }
  if (!std::isfinite(settings.recheck) || settings.recheck < 0.0) {
    throw std::invalid_argument("recheck: expected an equity of 0 or more, got " + std::to_string(settings.recheck));
  }
  if (settings.cache_bytes > Settings::kMaxCacheBytes) {
    throw std::invalid_argument("cache: expected at most " + std::to_string(Settings::kMaxCacheBytes) +
                                " bytes, got " + std::to_string(settings.cache_bytes));
  }
}

}  // namespace botd::fast
