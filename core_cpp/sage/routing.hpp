// Which of the 24 networks values a position.
#pragma once

#include <array>

#include "sage/side_view.hpp"

namespace botd::sage {

// File of each network index. Indices 11, 12, 15 and 16 share one file.
inline constexpr std::array<const char*, 24> kNetworkFiles = {
    "sl_s9_purerace.weights.best",    "sl_s9_race_race.weights.best",      "sl_s9_race_att.weights.best",
    "sl_s9_race_prim.weights.best",   "sl_s9_race_anch.weights.best",      "sl_s9_att_race.weights.best",
    "sl_s9_att_att.weights.best",     "sl_s9_att_prim.weights.best",       "sl_s9_att_anch.weights.best",
    "sl_s9_prim_race.weights.best",   "sl_s9_prim_att.weights.best",       "sl_s9_prim_anch.weights.best",
    "sl_s9_prim_anch.weights.best",   "sl_s9_anch_race.weights.best",      "sl_s9_anch_att.weights.best",
    "sl_s9_prim_anch.weights.best",   "sl_s9_prim_anch.weights.best",      "sl_s11_bg_deep.weights.best",
    "sl_s11_bg_middle.weights.best",  "sl_s11_bg_double.weights.best",     "sl_s11_bg_p3.weights.best",
    "sl_s11_bg_containment.weights.best", "sl_s11_bg_snake.weights.best",  "sl_s11_bg_massive.weights.best"};

[[nodiscard]] int route(const PositionView& view);

}  // namespace botd::sage
