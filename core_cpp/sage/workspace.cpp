#include "sage/workspace.hpp"

#include <algorithm>

#include "sage/contact_features.hpp"

namespace botd::sage {
namespace {

class ChangeList {
 public:
  explicit ChangeList(InputChange* changes) : changes_(changes) {}

  void add(std::size_t input, float delta) {
    // Written always, counted only if it is a change: no branch to mispredict.
    changes_[count_] = {static_cast<std::int32_t>(input), delta};
    count_ += delta != 0.0F ? 1 : 0;
  }

  void add_point(std::size_t first_input, int checkers, int base_checkers) {
    const auto& code = kPointCode[static_cast<std::size_t>(std::max(0, checkers))];
    const auto& base_code = kPointCode[static_cast<std::size_t>(std::max(0, base_checkers))];
    for (std::size_t k = 0; k < kPointInputs; ++k) add(first_input + k, code[k] - base_code[k]);
  }

  [[nodiscard]] int count() const { return count_; }

 private:
  InputChange* changes_;
  int count_ = 0;
};

int changed_inputs_from(const Board& board, const Extras& extras, const Board& base_board, const Extras& base_extras,
                        bool race_network, InputChange* changes) {
  const std::size_t opponent_points = race_network ? kRaceOpponentPoints : kContactOpponentPoints;
  const std::size_t extras_count = race_network ? kRaceExtras : kContactExtras;
  ChangeList list(changes);
  for (std::size_t i = 1; i <= kPoints; ++i) {
    const int n = board[i];
    const int base_n = base_board[i];
    if (n == base_n) continue;
    const std::size_t input = kPointInputs * (i - 1);
    if (n > 0 || base_n > 0) list.add_point(input, n, base_n);
    if (n < 0 || base_n < 0) list.add_point(opponent_points + input, -n, -base_n);
  }
  for (std::size_t k = 0; k < extras_count; ++k) list.add(kSidePointInputs + k, extras[k] - base_extras[k]);
  for (std::size_t k = 0; k < extras_count; ++k)
    list.add(opponent_points + kSidePointInputs + k, extras[extras_count + k] - base_extras[extras_count + k]);
  return list.count();
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
                   InputChange* changes) {
  return changed_inputs_from(board, extras, base.board, base.extras(race_network), race_network, changes);
}

int nonzero_inputs(const Board& board, const Extras& extras, bool race_network, InputChange* changes) {
  return changed_inputs_from(board, extras, Board{}, Extras{}, race_network, changes);
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
