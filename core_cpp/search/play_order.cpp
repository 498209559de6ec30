#include "search/play_order.hpp"

#include <algorithm>

namespace botd {
namespace {

constexpr double kTie = 1e-6;  // equal equities differ by rounding

}  // namespace

void sort_best_first(std::span<RankedBoard> plays) {
  std::sort(plays.begin(), plays.end(), [](const RankedBoard& a, const RankedBoard& b) {
    return a.equity != b.equity ? a.equity > b.equity : a.board < b.board;
  });
  for (auto first = plays.begin(); first != plays.end();) {
    const double limit = first->equity - kTie;
    const auto last =
        std::find_if(first, plays.end(), [limit](const auto& play) { return play.equity < limit; });
    std::sort(first, last, [](const RankedBoard& a, const RankedBoard& b) {
      return a.cubeless_equity != b.cubeless_equity ? a.cubeless_equity > b.cubeless_equity
                                                    : a.board < b.board;
    });
    first = last;
  }
}

std::size_t kept(const FilterStage& stage, std::span<const RankedBoard> plays) {
  std::size_t count = std::min(plays.size(), static_cast<std::size_t>(stage.accept));
  const std::size_t most = std::min(plays.size(), count + static_cast<std::size_t>(stage.extra));
  const double limit = plays.front().equity - stage.threshold;
  while (count < most && plays[count].equity >= limit) ++count;
  return std::max<std::size_t>(count, 1);
}

}  // namespace botd
