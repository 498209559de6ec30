#include "rollout/settings.hpp"

#include <stdexcept>
#include <string>

namespace botd::rollout {
namespace {

void check_range(const char* what, int value, int low, int high) {
  if (value >= low && value <= high) return;
  throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(low) + " to " + std::to_string(high) +
                              ", got " + std::to_string(value));
}

}  // namespace

void check_settings(const Settings& settings) {
  check_range("truncation", settings.truncate, 0, Settings::kMaxHalfMoves);
  check_range("ply of plays", settings.play_ply, 0, Settings::kMaxPly);
  check_range("ply of late plays", settings.late_ply, 0, Settings::kMaxPly);
  check_range("first late half-move", settings.late_from, 0, Settings::kNever);
  check_range("first cubeless half-move", settings.cubeless_from, 0, Settings::kNever);
  check_range("ply of cube decisions", settings.cube_ply, 0, Settings::kMaxPly);
  check_range("ply of the truncation", settings.truncation_ply, 0, Settings::kMaxPly);
}

}  // namespace botd::rollout
