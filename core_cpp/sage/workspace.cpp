#include "sage/workspace.hpp"

#include <algorithm>
#include <bit>

#include "rules/board_bits.hpp"
#include "sage/contact_features.hpp"

namespace botd::sage {
namespace {

// Appends what differs in the code of a point.
int point_changes(std::size_t first_input, int checkers, int base_checkers, InputChange* changes) {
  const auto& code = kPointCode[static_cast<std::size_t>(std::max(0, checkers))];
  const auto& base_code = kPointCode[static_cast<std::size_t>(std::max(0, base_checkers))];
  int count = 0;
  for (std::size_t k = 0; k < kPointInputs; ++k) {
    // Written always, counted only if it is a change: no branch to mispredict.
    const float delta = code[k] - base_code[k];
    changes[count] = {static_cast<std::int32_t>(first_input + k), delta};
    count += delta != 0.0F ? 1 : 0;
  }
  return count;
}

int changed_inputs_from(const Board& board, const Extras& extras, const Board& base_board, const Extras& base_extras,
                        bool race_network, ChangesFunction find_changes, InputChange* changes) {
  const std::size_t opponent_points = race_network ? kRaceOpponentPoints : kContactOpponentPoints;
  const std::size_t extras_count = race_network ? kRaceExtras : kContactExtras;
  int count = 0;
  for (std::uint32_t places = different_places(board, base_board) & kAllPoints; places != 0; places &= places - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(places));
    const int n = board[i];
    const int base_n = base_board[i];
    const std::size_t input = kPointInputs * (i - 1);
    if (n > 0 || base_n > 0) count += point_changes(input, n, base_n, changes + count);
    if (n < 0 || base_n < 0) count += point_changes(opponent_points + input, -n, -base_n, changes + count);
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t first = side * extras_count;
    const std::size_t input = (side == 0 ? 0 : opponent_points) + kSidePointInputs;
    count += find_changes(extras.data() + first, base_extras.data() + first, static_cast<int>(extras_count),
                          static_cast<int>(input), changes + count);
  }
  return count;
}

}  // namespace

void EncodedBoard::set(const Board& new_board) {
  board = new_board;
  has_contact = has_race = false;
}

const Extras& EncodedBoard::extras(bool race_network) {
  if (race_network) {
    if (!has_race) race_extras(board, race);
    has_race = true;
    return race;
  }
  if (!has_contact) {
    const PositionView view = view_of(board);
    write_feature_inputs(contact_features(view.own), contact.data());
    write_feature_inputs(contact_features(view.opponent), contact.data() + kContactExtras);
    has_contact = true;
  }
  return contact;
}

void Workspace::Buffers::set_base(const std::shared_ptr<const void>& new_owner, const Board& board) {
  if (has_base && owner == new_owner && base.board == board) return;
  if (owner != new_owner) owner = new_owner;  // the count of owners is shared by all threads
  base.set(board);
  has_first_layer.fill(false);
  has_base = true;
}

int changed_inputs(const Board& board, const Extras& extras, EncodedBoard& base, bool race_network,
                   ChangesFunction find_changes, InputChange* changes) {
  return changed_inputs_from(board, extras, base.board, base.extras(race_network), race_network, find_changes, changes);
}

int nonzero_inputs(const Board& board, const Extras& extras, bool race_network, ChangesFunction find_changes,
                   InputChange* changes) {
  return changed_inputs_from(board, extras, Board{}, Extras{}, race_network, find_changes, changes);
}

void race_extras(const Board& board, Extras& extras) {
  const PositionView view = view_of(board);
  write_race_extras(view.own, extras.data());
  write_race_extras(view.opponent, extras.data() + kRaceExtras);
}

Workspace::Workspace() : buffers_(std::make_unique<Buffers>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

}  // namespace botd::sage
