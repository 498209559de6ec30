// How a rollout is done.
#pragma once

#include <cstdint>

namespace botd::rollout {

// Plies count as gnubg does: 0 is the static evaluation.
struct Settings {
  static constexpr int kNever = 1 << 20;  // a half-move that no trial reaches
  static constexpr int kMaxPly = 3;
  static constexpr int kMaxHalfMoves = 1000;

  int truncate = 5;         // half-moves until a trial is cut off and evaluated; 0: never
  int play_ply = 0;         // of checker plays at half-move 0 and, until late_from, from half-move 2 on
  int late_ply = 0;         // of checker plays from half-move late_from on
  int late_from = kNever;
  int cubeless_from = kNever;  // from this half-move on plays that are 0-ply ignore the cube
  int cube_ply = 0;         // of doubles and takes
  int truncation_ply = 0;   // of the evaluation at the end of a trial that is cut off
  std::uint32_t seed = 42;
  std::uint64_t batch = 0;  // trials of one seed, after which come those of the next; 0: all trials are of `seed`
  bool first_roll_luck = false;  // the first roll's luck is removed, too: for numbers of trials that do not stratify it

  friend bool operator==(const Settings&, const Settings&) = default;

  // Of a half-move. (The second is always played at 0-ply: its plays are shared by all trials.)
  [[nodiscard]] constexpr int ply_at(int half_move) const {
    if (half_move == 1) return 0;
    return half_move >= late_from ? late_ply : play_ply;
  }

  [[nodiscard]] constexpr std::uint64_t batch_of(std::uint64_t trial) const { return batch == 0 ? 0 : trial / batch; }
  // Open Sage's seeds of further batches.
  [[nodiscard]] constexpr std::uint32_t seed_of(std::uint64_t batch_number) const {
    return seed + static_cast<std::uint32_t>(batch_number) * 0x9E3779B9U;
  }
};

// Throws std::invalid_argument naming what is out of range.
void check_settings(const Settings& settings);

}  // namespace botd::rollout
