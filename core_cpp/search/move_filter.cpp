#include "search/move_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace botd {
namespace {

using Stages = std::vector<FilterStage>;

constexpr std::array<std::string_view, 6> kNames = {"none", "tiny", "narrow", "normal", "large", "huge"};

constexpr FilterStage up_to(int extra, double threshold) { return {0, extra, threshold}; }

// Table A looks at all plays before the rolls after them (stage 0) and, from three plies on, once more at the
// survivors with two (stage 2).
MoveFilter table_a(FilterStage first, FilterStage third) {
  return MoveFilter(
      std::array<Stages, MoveFilter::kRows>{{{first}, {first}, {first, {}, third}, {first, {}, third}}});
}

MoveFilter normal_b() {
  return MoveFilter(std::array<Stages, MoveFilter::kRows>{
      {{up_to(12, 0.24)},
       {up_to(12, 0.24), up_to(6, 0.12)},
       {up_to(16, 0.32), up_to(8, 0.16), up_to(4, 0.06)},
       {up_to(16, 0.32), up_to(12, 0.16), up_to(6, 0.08), up_to(4, 0.06)}}});
}

MoveFilter large_b() {
  return MoveFilter(std::array<Stages, MoveFilter::kRows>{
      {{up_to(16, 0.32)},
       {up_to(16, 0.32), up_to(8, 0.16)},
       {up_to(24, 0.40), up_to(12, 0.20), up_to(6, 0.08)},
       {up_to(32, 0.40), up_to(16, 0.20), up_to(8, 0.10), up_to(6, 0.08)}}});
}

void check(const FilterStage& stage, std::size_t row, std::size_t number) {
  const std::string place =
      "filter for " + std::to_string(row + 1) + "-ply, stage " + std::to_string(number) + ": ";
  if (stage.accept < FilterStage::kSkipped) {
    throw std::invalid_argument(place + "expected a number of plays to accept, or -1 to skip it, got " +
                                std::to_string(stage.accept));
  }
  if (stage.extra < 0) {
    throw std::invalid_argument(place + "expected a number of extra plays, got " +
                                std::to_string(stage.extra));
  }
  if (!std::isfinite(stage.threshold) || stage.threshold < 0.0) {
    throw std::invalid_argument(place + "expected a threshold of 0 or more, got " +
                                std::to_string(stage.threshold));
  }
  if (stage.accept == 0 && stage.extra == 0) {
    throw std::invalid_argument(place + "accepts no play at all; expected one at least");
  }
}

}  // namespace

MoveFilter::MoveFilter(std::span<const Stages> rows) {
  if (rows.empty() || rows.size() > static_cast<std::size_t>(kRows)) {
    throw std::invalid_argument("filter: expected 1 to " + std::to_string(kRows) +
                                " rows, one for each depth, got " + std::to_string(rows.size()));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() > i + 1) {
      throw std::invalid_argument("filter for " + std::to_string(i + 1) + "-ply: expected at most " +
                                  std::to_string(i + 1) + " stages, got " + std::to_string(rows[i].size()));
    }
    for (std::size_t s = 0; s < rows[i].size(); ++s) check(rows[i][s], i, s);
    std::copy(rows[i].begin(), rows[i].end(), rows_[i].begin());
  }
  std::fill(rows_.begin() + static_cast<std::ptrdiff_t>(rows.size()), rows_.end(), rows_[rows.size() - 1]);
}

MoveFilter MoveFilter::named(std::string_view name, FilterTable table) {
  if (name == "none") return {};
  if (name == "normal" && table == FilterTable::kB) return normal_b();
  if (name == "large" && table == FilterTable::kB) return large_b();
  if (name == "tiny") return table_a(up_to(5, 0.08), up_to(2, 0.02));
  if (name == "narrow") return table_a(up_to(8, 0.12), up_to(2, 0.03));
  if (name == "normal") return table_a(up_to(8, 0.16), up_to(2, 0.04));
  if (name == "large") return table_a(up_to(16, 0.32), up_to(4, 0.08));
  if (name == "huge") return table_a(up_to(20, 0.44), up_to(6, 0.11));
  std::string known;
  for (const std::string_view each : kNames) known += (known.empty() ? "" : ", ") + std::string(each);
  throw std::invalid_argument("filter: expected one of " + known + ", got '" +
                              std::string(name.substr(0, 40)) + "'");
}

std::span<const std::string_view> MoveFilter::names() { return kNames; }

std::span<const FilterStage> MoveFilter::stages(int ply) const {
  if (ply <= 0) return {};
  const auto row = static_cast<std::size_t>(std::min(ply, kRows));
  return std::span(rows_[row - 1]).first(row);
}

}  // namespace botd
