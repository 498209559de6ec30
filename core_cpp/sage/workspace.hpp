// What one thread keeps between evaluations: the base position and its first layers.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "common/aligned_floats.hpp"
#include "rules/board.hpp"
#include "sage/encoding.hpp"
#include "sage/evaluator.hpp"
#include "sage/forward.hpp"
#include "sage/network.hpp"

namespace botd::sage {

// The hand-made inputs of both sides, own side first: 2 x kContactExtras or 2 x kRaceExtras of them.
using Extras = std::array<float, 2 * kContactExtras>;

// A board that others are compared with.
struct EncodedBoard {
  Board board;
  Extras contact{};
  Extras race{};
  bool has_contact = false;
  bool has_race = false;

  // Forgets the inputs of the previous board.
  void set(const Board& new_board);
  [[nodiscard]] const Extras& extras(bool race_network);
};

struct Workspace::Buffers {
  // Whose first layers these are; kept alive so that the identity cannot be reused.
  std::shared_ptr<const void> owner;
  EncodedBoard base;
  bool has_base = false;
  std::array<FloatBuffer, kNetworks> first_layer;  // of `base`, by network; allocated when first needed
  std::array<bool, kNetworks> has_first_layer{};
  std::array<Extras, kMostRows> extras;  // of the boards that are evaluated together
  std::array<InputChange, kMostRows * kContactInputs + kChangesAtOnce> changes;  // the same

  void set_base(const std::shared_ptr<const void>& new_owner, const Board& board);
};

// The inputs in which `board` differs from `base`; returns their number. `changes` has room for kContactInputs and
// kChangesAtOnce more.
[[nodiscard]] int changed_inputs(const Board& board, const Extras& extras, EncodedBoard& base, bool race_network,
                                 ChangesFunction find_changes, InputChange* changes);

// The non-zero inputs of `board`.
[[nodiscard]] int nonzero_inputs(const Board& board, const Extras& extras, bool race_network,
                                 ChangesFunction find_changes, InputChange* changes);

// The extras for the race network.
void race_extras(const Board& board, Extras& extras);

}  // namespace botd::sage
