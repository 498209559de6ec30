// Network inputs of a board.
#pragma once

#include <array>
#include <cstddef>

#include "sage/side_view.hpp"

namespace botd::sage {

inline constexpr std::size_t kRaceInputs = 196;
inline constexpr std::size_t kContactInputs = 244;

// Four inputs per point and side say how many checkers stand there.
inline constexpr std::size_t kPointInputs = 4;
inline constexpr std::size_t kSidePointInputs = kPoints * kPointInputs;

// The code of 0..15 checkers on a point: (n >= 1, n >= 2, n >= 3, (n - 3) / 2 from 4 on).
extern const std::array<std::array<float, kPointInputs>, kCheckers + 1> kPointCode;

// First point input of the opposing side; both sides' points are numbered as the own side numbers them.
inline constexpr std::size_t kRaceOpponentPoints = 98;
inline constexpr std::size_t kContactOpponentPoints = 122;

// What follows the point inputs of a side.
inline constexpr std::size_t kRaceExtras = 2;
inline constexpr std::size_t kContactExtras = 26;

// Bar / 2 and borne off / 15.
void write_race_extras(const SideView& side, float* inputs);

// All inputs of a board: kRaceInputs or kContactInputs floats.
void encode_race(const Board& board, float* inputs);
void encode_contact(const Board& board, float* inputs);

}  // namespace botd::sage
