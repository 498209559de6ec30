// Which plays of a roll are looked at more deeply.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace botd {

// After the plays were scored at the stage's ply: keep the best `accept`, and up to `extra` more whose equity
// is not below the best one's less `threshold`. With accept 0 the best play is one of the extra ones.
struct FilterStage {
  static constexpr int kSkipped = -1;

  int accept = kSkipped;  // kSkipped: nothing is scored or dropped at this ply
  int extra = 0;
  double threshold = 0.0;  // equity, points per unit of the cube

  [[nodiscard]] constexpr bool skipped() const { return accept < 0; }

  friend constexpr bool operator==(const FilterStage&, const FilterStage&) = default;
};

// gnubg's sets of named filters: the one of its versions 1.07 (A), and that of 1.08 (B).
enum class FilterTable : std::uint8_t { kA, kB };

// Row k holds the stages 0 .. k-1 of a search to k plies. The default one keeps every play.
class MoveFilter {
 public:
  static constexpr int kRows = 4;

  MoveFilter() = default;

  // rows[k-1]: the first stages of a k-ply search; missing ones are skipped. Depths beyond the given rows use
  // the last of them. Throws std::invalid_argument naming the stage and what was expected.
  explicit MoveFilter(std::span<const std::vector<FilterStage>> rows);

  // `none`, `tiny`, `narrow`, `normal`, `large` or `huge`; throws std::invalid_argument for another name.
  // `none` keeps every play. Of table B only `normal` and `large` are known (gnubg-evaluator
  // specification 9.5); the other names stand for table A's filters there too.
  [[nodiscard]] static MoveFilter named(std::string_view name, FilterTable table);
  [[nodiscard]] static std::span<const std::string_view> names();

  // Stages of a search to `ply` plies, at most `ply` of them. Depths above kRows use the last row.
  [[nodiscard]] std::span<const FilterStage> stages(int ply) const;

  friend bool operator==(const MoveFilter&, const MoveFilter&) = default;

 private:
  using Row = std::array<FilterStage, kRows>;
  std::array<Row, kRows> rows_{};
};

}  // namespace botd
