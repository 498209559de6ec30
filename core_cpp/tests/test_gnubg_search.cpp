#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "gnubg/pruning.hpp"
#include "gnubg/root_search.hpp"
#include "gnubg/search.hpp"
#include "random_boards.hpp"
#include "rules/moves.hpp"

using namespace botd;
using namespace botd::gnubg;

namespace {

Board board_of(const Position& position) {
  Board board;
  for (int i = 0; i < kPoints; ++i) {
    board.at(static_cast<std::size_t>(i) + 1) =
        static_cast<std::int8_t>(position.roller[i] - position.other[23 - i]);
  }
  board.at(kOwnBar) = static_cast<std::int8_t>(position.roller.bar());
  board.at(kOpponentBar) = static_cast<std::int8_t>(position.other.bar());
  return board;
}

// A cheap evaluator with some shape and with positions of every class but one.
class PipSource final : public StaticSource {
 public:
  class Nothing final : public Scratch {};

  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Nothing>(); }

  static PositionClass class_of(const Board& board) {
    if (game_result(board) != 0) return PositionClass::kOver;
    if (!is_race(board)) return own_pips(board) % 3 == 0 ? PositionClass::kCrashed : PositionClass::kContact;
    const int off = std::min(own_borne_off(board), opponent_borne_off(board));
    if (off >= 9) return PositionClass::kTwoSided;
    return off >= 5 ? PositionClass::kOneSided : PositionClass::kRace;
  }
  PositionClass classify(const Position& position) const override { return class_of(board_of(position)); }

  static Probabilities value(const Board& board) {
    if (const int result = game_result(board); result != 0) return terminal_probabilities(result);
    if (class_of(board) == PositionClass::kTwoSided) {
      Probabilities p;
      p.win = (exact(board).cubeless + 1.0F) / 2.0F;
      return p;
    }
    int blots = 0;
    for (std::size_t i = 1; i <= 24; ++i) blots += board[i] == 1 ? 1 : 0;
    const float lead = static_cast<float>(opponent_pips(board) - own_pips(board) - 3 * blots) / 120.0F;
    Probabilities p;
    p.win = std::clamp(0.55F + lead, 0.01F, 0.99F);
    p.win_gammon = p.win * 0.2F;
    p.lose_gammon = (1.0F - p.win) * 0.15F;
    p.win_backgammon = p.win_gammon * 0.05F;
    return p;
  }
  static bearoff::TwoSidedEquities exact(const Board& board) {
    const float lead = static_cast<float>(opponent_pips(board) - own_pips(board)) / 40.0F;
    const float cubeless = std::clamp(lead, -0.9F, 0.9F);
    return {cubeless, std::min(cubeless + 0.1F, 1.0F), cubeless * 1.05F, std::max(cubeless - 0.1F, -1.0F)};
  }

  void evaluate(std::span<const Position> positions, std::span<const PositionClass> classes,
                std::span<const Number> numbers, std::span<Probabilities> out, Scratch&) const override {
    std::transform(numbers.begin(), numbers.end(), out.begin(), [&](Number number) {
      CHECK(classes[number] == class_of(board_of(positions[number])));
      return value(board_of(positions[number]));
    });
  }
  static Probabilities rough(const Board& board, PositionClass position_class) {
    Probabilities p;
    p.win =
        std::clamp(0.5F + static_cast<float>(opponent_pips(board) - own_pips(board)) / 200.0F, 0.0F, 1.0F);
    p.win_gammon = position_class == PositionClass::kContact ? p.win * 0.3F : 0.0F;
    return p;
  }
  void prune_values(std::span<const Position> positions, PositionClass position_class,
                    std::span<const Number> numbers, std::span<Probabilities> out, Scratch&) const override {
    std::transform(numbers.begin(), numbers.end(), out.begin(), [&](Number number) {
      const Board board = board_of(positions[number]);
      CHECK(class_of(board) == position_class);
      return rough(board, position_class);
    });
  }
  bearoff::TwoSidedEquities two_sided(const Position& position) const override {
    const Board board = board_of(position);
    CHECK(class_of(board) == PositionClass::kTwoSided);
    return exact(board);
  }
};

MatchEquityTable small_table() {
  return {std::vector<double>{0.5, 0.68, 0.75, 0.32, 0.5, 0.6, 0.25, 0.4, 0.5},
          std::vector<double>{0.5, 0.49, 0.32}};
}

using States = std::vector<std::optional<CubeState>>;

// The search's definition (gnubg-evaluator specification 9.2, 9.4, 11.4) word for word: nothing shared,
// nothing remembered, an absent state keeps its place.
struct Definition {
  const MatchEquityTable& table;
  SearchRules rules;
  PipSource source;

  double static_value(const Board& board, const CubeState& state, EfficiencySet set) const {
    const PositionClass position_class = PipSource::class_of(board);
    return Leaf(source, board, position_of(board), position_class, value_of(board), set,
                drop_costs(board, rules.scoring))
        .value(CubeValue(state, table));
  }

  // A finished game counts as the scoring says.
  Probabilities value_of(const Board& board) const {
    const int result = game_result(board, rules.scoring);
    return result != 0 ? terminal_probabilities(result) : PipSource::value(board);
  }

  double pair_value(const Board& board, const CubeState& state, double no_double, double double_take) const {
    const double take = state.is_money() ? 2.0 * double_take : double_take;
    const double pass = CubeValue(state, table).double_pass(drop_costs(board, rules.scoring).opponent);
    return take >= no_double && pass >= no_double ? std::min(take, pass) : no_double;
  }

  // `actual` belongs to the opponent, who is on roll on `board`; the result to the mover.
  std::pair<float, float> score(const Board& board, const CubeState& actual) const {
    const CubeValue mover(other_side(actual), table);
    const auto cubeless = static_cast<float>(mover.shown_cubeless_equity(inverted(value_of(board))));
    if (!rules.cubeful) return {cubeless, cubeless};
    double value = static_value(board, actual, rules.choices);
    if (may_double(actual)) {
      value = pair_value(board, actual, value, static_value(board, doubled(actual), rules.choices));
    }
    return {static_cast<float>(mover.equity(mover.other_side(value))), cubeless};
  }

  Board reply(const Board& board, const Roll& roll, const CubeState& actual) const {
    PlayTable plays;
    plays.start(board);
    std::vector<PlayTable::Number> numbers;
    if (plays.add_roll(roll.die2, roll.die1, numbers) == 0) return mirrored(board);
    std::vector<Board> boards;
    for (const auto number : numbers) boards.push_back(plays.turned()[number]);
    const CubeState opponent = other_side(actual);
    const auto same_class = [&](const Board& b) {
      return PipSource::class_of(b) == PipSource::class_of(boards.front());
    };
    if (rules.prune && boards.size() > kept_plays(boards.size()) &&
        PipSource::class_of(boards.front()) >= PositionClass::kRace &&
        std::all_of(boards.begin(), boards.end(), same_class)) {
      std::vector<float> values;
      for (const Board& b : boards) {
        values.push_back(static_cast<float>(
            CubeValue(opponent, table).shown_cubeless_equity(PipSource::rough(b, PipSource::class_of(b)))));
      }
      std::vector<std::size_t> slots;
      select_best(values, kept_plays(boards.size()), slots);
      std::vector<Board> kept;
      for (const std::size_t slot : slots) kept.push_back(boards[slot]);
      boards = kept;
    }
    Board best = boards.front();
    for (const Board& b : boards) {
      if (score(b, opponent) > score(best, opponent)) best = b;
    }
    return best;
  }

  Probabilities node(const Board& board, const States& states, const CubeState& actual, int plies,
                     bool expands, std::vector<double>& values) const {
    States expanded;
    for (const auto& state : states) {
      expanded.push_back(state);
      if (!expands) continue;
      expanded.push_back(state && may_double(*state) ? std::optional(doubled(*state)) : std::nullopt);
    }
    std::vector<double> all(expanded.size());
    Probabilities p = value_of(board);
    const PositionClass position_class = PipSource::class_of(board);
    const bool exact = position_class == PositionClass::kOver ||
                       (position_class == PositionClass::kTwoSided && (!rules.cubeful || actual.is_money()));
    if (plies == 0 || exact) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (expanded[i]) all[i] = static_value(board, *expanded[i], rules.leaves);
      }
    } else {
      States turned;
      for (const auto& state : expanded) {
        turned.push_back(state ? std::optional(other_side(*state)) : std::nullopt);
      }
      std::array<double, 5> sums{};
      for (const Roll& roll : kRolls) {
        std::vector<double> next(turned.size());
        const Probabilities q =
            node(reply(board, roll, actual), turned, other_side(actual), plies - 1, true, next);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] += roll.ways * next[i];
        const std::array<float, 5> outputs{q.win, q.win_gammon, q.win_backgammon, q.lose_gammon,
                                           q.lose_backgammon};
        for (std::size_t i = 0; i < 5; ++i) sums[i] += roll.ways * static_cast<double>(outputs[i]) / 36.0;
      }
      for (double& value : all) value = actual.is_money() ? -value / 36.0 : 1.0 - value / 36.0;
      const auto mean = [&sums](std::size_t i) { return static_cast<float>(sums[i]); };
      p = inverted({mean(0), mean(1), mean(2), mean(3), mean(4)});
    }
    values.clear();
    for (std::size_t i = 0; i < states.size(); ++i) {
      const std::size_t at = expands ? 2 * i : i;
      const bool pair = expands && states[i] && expanded[at + 1];
      values.push_back(pair ? pair_value(board, *states[i], all[at], all[at + 1]) : all[at]);
    }
    return p;
  }
};

std::vector<CubeState> all_kinds_of_states() {
  CubeState money;
  CubeState jacoby;
  jacoby.jacoby = true;
  CubeState own;
  own.value = 2;
  own.owner = CubeOwner::kOwn;
  CubeState match;
  match.own_away = 3;
  match.opponent_away = 2;
  CubeState owned = match;
  owned.own_away = 12;
  owned.opponent_away = 9;
  owned.value = 2;
  owned.owner = CubeOwner::kOpponent;
  CubeState crawford = match;
  crawford.own_away = 1;
  crawford.crawford = true;
  CubeState limited = match;
  limited.own_away = 9;
  limited.opponent_away = 7;
  limited.max_value = 2;
  CubeState by_position = limited;
  by_position.scoring = Scoring::kBgammon;
  by_position.max_value = 0;
  return {money, jacoby, own, match, owned, crawford, limited, by_position};
}

std::vector<Board> some_boards(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Board> boards{
      starting_board(),
      {{0, 3, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -2, 0, -3, 0, 0}},
      {{0, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -2, 0, 0}}};
  while (static_cast<int>(boards.size()) < count) {
    const Board board = botd::testing::random_board(random);
    if (board_error(board) == nullptr && game_result(board) == 0) boards.push_back(board);
  }
  return boards;
}

void compare(const Board& board, const CubeState& state, const SearchRules& rules, int plies, bool cube_root,
             int threads) {
  const MatchEquityTable table = small_table();
  SearchRules counted = rules;
  counted.scoring = state.scoring;
  const auto source = std::make_shared<PipSource>();
  std::vector<CubeState> states{state};
  if (cube_root) states.push_back(doubled(state));
  const CubePlan plan(states, plies, !cube_root, table);
  WorkspacePool pool(source);
  Root root;
  root.on_roll = board;
  evaluate_roots({&root, 1}, plies, plan, counted, threads, Deadline(), pool);
  const Definition definition{table, counted, {}};
  std::vector<double> values;
  const Probabilities p =
      definition.node(board, States(states.begin(), states.end()), state, plies, !cube_root, values);
  CHECK(root.probabilities.win == doctest::Approx(p.win).epsilon(1e-6));
  CHECK(root.probabilities.win_gammon == doctest::Approx(p.win_gammon).epsilon(1e-6));
  CHECK(root.probabilities.lose_gammon == doctest::Approx(p.lose_gammon).epsilon(1e-6));
  CHECK(root.probabilities.lose_backgammon == doctest::Approx(p.lose_backgammon).epsilon(1e-6));
  if (!rules.cubeful) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(root.values[i] == doctest::Approx(values[i]).epsilon(1e-6));
  }
}

}  // namespace

TEST_CASE("gnubg's search does what its definition says") {
  SearchRules rules;
  for (const bool prune : {false, true}) {
    rules.prune = prune;
    rules.choices = prune ? EfficiencySet::kStandard : EfficiencySet::kShallow;
    for (const bool cubeful : {true, false}) {
      rules.cubeful = cubeful;
      for (const CubeState& state : all_kinds_of_states()) {
        for (const Board& board : some_boards(8, 5)) {
          for (const bool cube_root : {false, true}) {
            compare(board, state, rules, 0, cube_root, 1);
            compare(board, state, rules, 1, cube_root, 1);
          }
        }
      }
    }
  }
}

TEST_CASE("gnubg's search two plies deep does what its definition says, in threads too") {
  SearchRules rules;
  rules.prune = true;
  for (const CubeState& state : all_kinds_of_states()) {
    for (const Board& board : some_boards(4, 9)) {
      compare(board, state, rules, 2, false, 1);
      compare(board, state, rules, 2, true, 3);
    }
  }
}

TEST_CASE("gnubg's ranking is the same whatever the number of threads and whatever came before") {
  const MatchEquityTable table = small_table();
  const auto source = std::make_shared<PipSource>();
  SearchSettings settings;
  settings.filter = MoveFilter::named("normal", FilterTable::kB);
  const Search alone(source, source, Profile::kB, table, settings);
  settings.threads = 4;
  const Search together(source, source, Profile::kB, table, settings);
  const Deadline deadline;
  for (const CubeState& state : all_kinds_of_states()) {
    for (const Board& board : some_boards(5, 21)) {
      for (const int ply : {0, 1, 2}) {
        const Search fresh(source, source, Profile::kB, table, settings);
        const auto a = alone.rank_plays(board, state, 4, 2, ply, deadline);
        const auto b = together.rank_plays(board, state, 4, 2, ply, deadline);
        const auto c = fresh.rank_plays(board, state, 4, 2, ply, deadline);
        REQUIRE(a.size() == b.size());
        REQUIRE(a.size() == c.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
          CHECK(a[i].board == b[i].board);
          CHECK(a[i].equity == b[i].equity);
          CHECK(a[i].equity == c[i].equity);
          CHECK(a[i].probabilities == b[i].probabilities);
          CHECK(a[i].ply == b[i].ply);
        }
      }
    }
  }
}

TEST_CASE("a search gives up when its time is over, in every thread, and the next one is not harmed") {
  const MatchEquityTable table = small_table();
  const auto source = std::make_shared<PipSource>();
  for (const int threads : {1, 3}) {
    SearchSettings settings;
    settings.threads = threads;
    const Search search(source, source, Profile::kA, table, settings);
    const Deadline over(0.0);
    const Deadline soon(0.05);
    const CubeState money;
    CHECK_THROWS_AS((void)search.cube_action(starting_board(), money, 1, over), DeadlineExceeded);
    CHECK_THROWS_AS((void)search.rank_plays(starting_board(), money, 6, 6, 4, soon), DeadlineExceeded);
    CHECK_THROWS_AS((void)search.luck(starting_board(), money, 6, 6, over), DeadlineExceeded);
    CHECK_NOTHROW((void)search.cube_action(starting_board(), money, 1, Deadline()));
  }
}

TEST_CASE("pruning keeps the best plays") {
  CHECK(kept_plays(1) == 5);
  CHECK(kept_plays(2) == 6);
  CHECK(kept_plays(15) == 8);
  CHECK(kept_plays(16) == 9);
  CHECK(kept_plays(17) == 9);
  std::mt19937 random(3);
  std::vector<std::size_t> slots;
  for (int n = 0; n < 200; ++n) {
    std::vector<float> values(6 + random() % 40);
    for (float& value : values) value = static_cast<float>(random() % 20);
    const std::size_t count = kept_plays(values.size());
    select_best(values, count, slots);
    REQUIRE(slots.size() == std::min(count, values.size()));
    std::vector<float> kept;
    for (const std::size_t slot : slots) kept.push_back(values[slot]);
    CHECK(kept.front() == *std::max_element(kept.begin(), kept.end()));
    std::sort(kept.begin(), kept.end());
    std::sort(values.begin(), values.end());
    values.resize(slots.size());
    CHECK(kept == values);
    std::sort(slots.begin(), slots.end());
    CHECK(std::adjacent_find(slots.begin(), slots.end()) == slots.end());
  }
}
