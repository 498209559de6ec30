// Exact expectation over dice to a fixed depth, in gnubg's way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gnubg/board_cache.hpp"
#include "gnubg/cube_plan.hpp"
#include "gnubg/leaf_value.hpp"
#include "gnubg/plays.hpp"
#include "gnubg/static_source.hpp"
#include "rules/moves.hpp"
#include "search/deadline.hpp"

namespace botd::gnubg {

// What stays the same in all nodes of a decision.
struct SearchRules {
  bool cubeful = true;
  bool prune = false;  // choose among the plays that the pruning networks prefer
  EfficiencySet leaves = EfficiencySet::kStandard;
  EfficiencySet choices = EfficiencySet::kStandard;
  Scoring scoring = Scoring::kStandard;  // of the cube states
};

// Reusable memory of one thread. Static values stay for later decisions of the same source, since they depend
// on the board alone; those of inner nodes are forgotten with the decision. Both together take at most 6 MiB.
class SearchWorkspace {
 public:
  explicit SearchWorkspace(const StaticSource& source) : scratch_(source.make_scratch()) {}

 private:
  friend class NodeSearch;
  using Number = PlayTable::Number;

  static constexpr std::size_t kStaticEntries = 1U << 16;
  static constexpr std::size_t kNodeEntries = 1U << 13;

  struct NodeResult {
    Probabilities probabilities;
    CubePlan::Values values{};
  };

  // Two keys by which plays are compared; single precision, so that equal plays are equal.
  struct Score {
    float equity = 0.0F;
    float cubeless = 0.0F;
    bool known = false;
    bool cubeless_known = false;
  };

  // The plays of all rolls of one node. Vectors are indexed by number, lists hold numbers roll by roll.
  struct Frame {
    struct List {
      std::vector<Number> numbers;
      std::array<std::size_t, kRolls.size() + 1> start{};

      [[nodiscard]] std::span<const Number> of(std::size_t roll) const {
        return std::span(numbers).subspan(start[roll], start[roll + 1] - start[roll]);
      }
    };
    PlayTable plays;
    List legal;
    List kept;  // what pruning leaves
    std::array<Number, kRolls.size()> chosen{};
    std::vector<Position> positions;
    std::vector<PositionClass> classes;
    std::vector<std::uint8_t> has_static;
    std::vector<Probabilities> statics;
    std::vector<std::uint8_t> has_prune_equity;
    std::vector<float> prune_equities;
    std::vector<Score> scores;
  };

  std::unique_ptr<StaticSource::Scratch> scratch_;
  std::vector<std::unique_ptr<Frame>> frames_;
  BoardCache<Probabilities> statics_{kStaticEntries};
  BoardCache<NodeResult> nodes_{kNodeEntries};
  // Of one batch.
  std::vector<Number> wanted_;
  std::vector<Probabilities> values_;
  // Of one roll.
  std::vector<float> prune_equities_;
  std::vector<std::size_t> slots_;
};

// A position after the best play of one or more rolls.
struct Successor {
  Board board;   // seen by the side then on roll
  int ways = 0;  // of 36
};

// Sums up a node from its successors.
class NodeAverage {
 public:
  explicit NodeAverage(const CubePlan::Level& level) : level_(level) {}

  // `values` and `p` of the successor as its side on roll sees them.
  void add(int ways, const Probabilities& p, const CubePlan::Values& values);

  // The averages as the node's side on roll sees them, after its decision to double at a position where a
  // drop costs the opponent `pass_cost` cubes.
  Probabilities finish(int pass_cost, CubePlan::Values& values) const;

 private:
  const CubePlan::Level& level_;
  CubePlan::Values sums_{};
  std::array<double, 5> outcomes_{};
};

// The searches of one decision in one thread. A value depends on the board, the plan and the rules alone,
// never on what was searched before.
class NodeSearch {
 public:
  // What is passed must outlive the search; `workspace` belongs to it alone while it lives.
  NodeSearch(const StaticSource& source, const CubePlan& plan, const SearchRules& rules,
             const Deadline& deadline, SearchWorkspace& workspace);

  // Value of a board `plies` deep for the side on roll, at a level of the plan: native values of the level's
  // states (meaningless in a cubeless search) and the averaged outcome probabilities.
  Probabilities evaluate(const Board& on_roll, int level, int plies, CubePlan::Values& values);

  // The positions after the best play of each roll, each once. The board's is_leaf() must be false.
  void successors(const Board& on_roll, int level, std::vector<Successor>& out);

  // Static equity of the best play of each of kRolls, seen by its mover.
  std::array<double, kRolls.size()> best_equities(const Board& on_roll, int level);

  // Not searched any deeper, because nothing would become more exact.
  [[nodiscard]] bool is_leaf(const Board& on_roll) const {
    return is_leaf(source_.classify(position_of(on_roll)));
  }

 private:
  using Frame = SearchWorkspace::Frame;
  using Number = PlayTable::Number;
  using Score = SearchWorkspace::Score;

  [[nodiscard]] bool is_leaf(PositionClass position_class) const;
  Frame& frame(int plies);
  // Decides every roll's play. With `statics` the static value of each chosen board is there afterwards.
  void choose(const Board& on_roll, int level, bool statics, Frame& frame);
  void generate(const Board& on_roll, Frame& frame) const;
  void prune(int level, Frame& frame);
  void evaluate_wanted(Frame& frame);
  Number best_of(std::span<const Number> candidates, int level, Frame& frame) const;
  [[nodiscard]] float equity(Number number, int level, Frame& frame) const;
  [[nodiscard]] float cubeless(Number number, int level, Frame& frame) const;
  Probabilities leaf(const Board& on_roll, const Position& position, PositionClass position_class,
                     const Probabilities& p, int level, CubePlan::Values& values) const;
  // A finished game at what the rules' scoring makes of it.
  [[nodiscard]] Probabilities counted(const Board& on_roll, const Probabilities& p) const;
  Probabilities static_value(const Board& on_roll, const Position& position, PositionClass position_class);
  [[nodiscard]] Probabilities fresh_static_value(const Position& position, PositionClass position_class);

  const StaticSource& source_;
  const CubePlan& plan_;
  SearchRules rules_;
  const Deadline& deadline_;
  SearchWorkspace& workspace_;
};

}  // namespace botd::gnubg
