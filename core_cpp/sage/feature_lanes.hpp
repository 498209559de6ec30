// The hand-made inputs of many contact positions at once, a position in each lane of the registers. One function
// per processor kind, equal to contact_features() and write_feature_inputs() to the last bit; those are the plain
// path. The files feature_lanes_avx2.cpp and feature_lanes_avx512.cpp are compiled for their processors and must
// therefore share no inline code with others.
#pragma once

#include <cstdint>

#include "common/cpu_path.hpp"
#include "rules/board.hpp"

namespace botd::sage {

// Inputs of one board: kContactExtras of the own side, then as many of the opponent's.
inline constexpr int kBothSidesExtras = 52;

// Look-ups that the lanes share with the plain path.
struct FeatureTables {
  const std::uint8_t* escapes;         // kEscapes
  const std::uint8_t* escapes_block;   // kEscapesPastBlock
  const std::uint8_t* escaping_rolls;  // 6 x kEscapeMasks, by point of the rear checker - 19 and points blocked ahead
  const std::int32_t* entry_loss;      // by points blocked of 19..24 (six bits), plus 64 for two or more on the bar
};

[[nodiscard]] FeatureTables feature_tables();

// Writes kBothSidesExtras floats for each of the `count` boards.
using ContactInputsFunction = void (*)(const Board* boards, int count, const FeatureTables& tables, float* inputs);

// `path` must be one of available_cpu_paths().
[[nodiscard]] ContactInputsFunction contact_inputs_function(CpuPath path);

void contact_inputs_plain(const Board* boards, int count, const FeatureTables& tables, float* inputs);
#ifdef BOTD_X86
void contact_inputs_avx2(const Board* boards, int count, const FeatureTables& tables, float* inputs);
void contact_inputs_avx512(const Board* boards, int count, const FeatureTables& tables, float* inputs);
#endif

}  // namespace botd::sage
