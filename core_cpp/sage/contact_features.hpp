// The 26 hand-made inputs that a contact network gets for each side.
#pragma once

#include <array>

#include "sage/side_view.hpp"

namespace botd::sage {

inline constexpr std::size_t kFeatures = 26;

// The whole numbers (and few fractions) behind the inputs, seen by the side they are computed for. "Rear
// enemy" is the other side's last checker: the highest point, in this side's numbering, that it occupies.
struct ContactFeatures {
  int bar = 0;                    // checkers on the bar
  int off = 0;                    // borne off
  int blocked_home_points = 0;    // points the other side has made in its home board
  int outfield_anchor = 0;        // 25 - lowest own made point in 13..24; 0 if none
  int hitting_rolls = 0;          // of 36
  int double_hitting_rolls = 0;   // of 36
  int escaping_rolls = 0;         // of 36, of the rear checker
  int rear_checker = 0;           // highest occupied point, bar ignored
  int rear_point = 0;             // highest made point
  int pips_past_enemy = 0;        // pips to carry everybody past the rear enemy
  int pips_behind_enemy = 0;      // pips of the checkers already past
  int pips_hit = 0;               // sum over 36 rolls
  int containment = 0;            // 36 - worst escape of an enemy that is back, up to the rear enemy
  int containment_everywhere = 0; // the same wherever it stands
  int mobility = 0;               // escapes weighted with distance
  int second_moment = 0;          // spread of the checkers behind the mean
  int entry_loss = 0;             // pips lost to blocked entry, over 36 rolls
  int timing = 0;                 // spare pips
  double backbone = 0.0;          // connectedness of the made points, 0..1
  int anchors = 0;                // made points in the other side's home board
  int checkers_back = 0;          // there and on the bar
  int rear_enemy_escapes = 0;     // rolls with which the rear enemy gets past this side's first block
};

// `me` is one side of a position that is not a race.
[[nodiscard]] ContactFeatures contact_features(const SideView& me);

// The inputs made of the features, in network order.
void write_feature_inputs(const ContactFeatures& features, float* inputs);

}  // namespace botd::sage
