// Exact expectation over dice to a fixed depth, with the cube.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cube/cube_value.hpp"
#include "rules/moves.hpp"
#include "rules/scoring.hpp"
#include "search/deadline.hpp"
#include "search/static_source.hpp"

namespace botd {

// Boards with pairwise different content, found again by content.
class BoardIndex {
 public:
  void clear();
  // Position of the board in boards(), where it is put if it is new.
  std::uint32_t insert(const Board& board);
  [[nodiscard]] std::span<const Board> boards() const { return boards_; }

 private:
  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t index = 0;
  };
  void grow();

  std::vector<Board> boards_;
  std::vector<Slot> slots_;
  std::uint32_t generation_ = 1;
};

// Values of inner nodes that one tree has computed. Direct-mapped groups of kProbes entries; kMaxBytes at most,
// allocated by the first tree deep enough to profit.
class NodeMemo {
 public:
  static constexpr std::size_t kMaxBytes = 6 * 1024 * 1024;
  static constexpr std::size_t kEntries = 32768;
  static constexpr std::size_t kProbes = 4;
  static constexpr std::size_t kMaxValues = 16;

  struct Entry {
    Board board;
    std::uint16_t level = 0;
    std::uint32_t generation = 0;
    Probabilities probabilities;
    std::array<double, kMaxValues> values{};
  };

  // Forgets everything.
  void clear();
  [[nodiscard]] const Entry* find(const Board& board, std::size_t level) const;
  void store(const Board& board, std::size_t level, std::span<const double> values, const Probabilities& p);
  [[nodiscard]] std::size_t bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  std::vector<Entry> entries_;
  std::uint32_t generation_ = 1;
};
static_assert(NodeMemo::kEntries * sizeof(NodeMemo::Entry) <= NodeMemo::kMaxBytes);

// What a tree does with the cube, level by level: the states at every node of one depth are the same.
//
// A node at a level values each of `states` for the side on roll there. Unless suppressed, each state that
// allows it is accompanied by the state after double and take ("expanded"), and the next level sees the
// expanded list from the other side. An entry without value is absent and keeps its place.
class TreePlan {
 public:
  struct Level {
    std::vector<std::optional<CubeValue>> states;
    std::vector<std::optional<CubeValue>> expanded;
    bool expands = true;  // expanded holds pairs; otherwise it equals states
  };

  // depth: plies of the tree, >= 1. root_expands is false for the root of a cube decision.
  TreePlan(std::span<const CubeState> root_states, int depth, bool root_expands,
           const MatchEquityTable& table);

  [[nodiscard]] int depth() const { return static_cast<int>(levels_.size()); }
  [[nodiscard]] const Level& level(std::size_t i) const { return levels_[i]; }

 private:
  std::vector<Level> levels_;
};

// Where a roll has more than 16 candidates, only the best by their rough value are looked at.
enum class Preselect : std::uint8_t {
  kNowhere,
  kEverywhere,  // 15 of them at every node
  kBelowRoot,   // 14 of them in contact positions below the root: the trees inside rollouts
};

struct TreeOptions {
  int pinned = StaticSource::kOwnNetwork;
  Preselect preselect = Preselect::kNowhere;
};

// Reusable memory of one search thread.
class TreeWorkspace {
 public:
  explicit TreeWorkspace(const StaticSource& source) : scratch_(source.make_scratch()) {}

  static constexpr std::size_t kMaxMemoBytes = NodeMemo::kMaxBytes;

  [[nodiscard]] StaticSource::Scratch& scratch() { return *scratch_; }
  [[nodiscard]] std::size_t memo_bytes() const { return memo_.bytes(); }

 private:
  friend class Tree;
  static constexpr std::size_t kRollCount = kRolls.size();

  struct Candidate {
    double equity = 0.0;
    double cubeless = 0.0;
    std::int8_t result = 0;
    bool known = false;
  };
  struct Frame {
    BoardList plays;
    BoardIndex boards;
    std::vector<std::uint32_t> candidates;  // of all rolls, one after the other
    std::array<std::size_t, kRollCount + 1> roll_start{};
    std::vector<std::pair<double, std::uint32_t>> ranked;
    std::vector<Probabilities> statics;
    std::vector<Candidate> valued;
    std::array<std::uint32_t, kRollCount> chosen{};   // different boards after the rolls, chosen_count of them
    std::array<std::uint8_t, kRollCount> of_roll{};   // which of them a roll leads to
    std::size_t chosen_count = 0;
    std::vector<double> child_values;                 // a row for each of them, opponent's view
    std::array<Probabilities, kRollCount> child_probabilities{};
    std::vector<double> sums;
  };

  std::unique_ptr<StaticSource::Scratch> scratch_;
  std::vector<std::unique_ptr<Frame>> frames_;
  NodeMemo memo_;
};

// Trees of one plan. Node values depend on the board, the plan and the options alone, never on what was
// searched before.
class Tree {
 public:
  // What a root's rolls lead to: the different boards after the best plays, seen by the side then on roll, and
  // which of them each roll leads to. No boards if the game is over at the root.
  struct Expansion {
    std::size_t count = 0;
    std::array<Board, kRolls.size()> boards{};
    std::array<std::size_t, kRolls.size()> index{};  // free for the caller's use
    std::array<std::uint8_t, kRolls.size()> of_roll{};
  };
  // The value of the position that each roll leads to, in the opponent's view.
  struct RollValue {
    const double* values = nullptr;  // by expanded state
    const Probabilities* probabilities = nullptr;
  };
  using RollValues = std::array<RollValue, kRolls.size()>;

  // The plan must have a depth of at least 1. `workspace` is used by this tree alone while it lives.
  Tree(const StaticSource& source, const TreePlan& plan, const TreeOptions& options, const Deadline& deadline,
       TreeWorkspace& workspace);

  // Value of a board for the side on roll: one native value per root state into `values`, and the cubeless
  // probabilities. Absent states leave their place in `values` unspecified. Throws DeadlineExceeded.
  Probabilities run(const Board& board, std::span<double> values);

  // run() in three parts, for trees of depth 3 and more: the root's plays, the value of each board they lead to
  // (at one place below the root), and the mean over the rolls.
  Expansion expand_root(const Board& board);
  Probabilities run_successor(const Board& board, std::span<double> values);
  Probabilities fold(const Board& board, std::size_t level, const RollValues& by_roll, std::span<double> values);

 private:
  using Frame = TreeWorkspace::Frame;
  using Candidate = TreeWorkspace::Candidate;

  Probabilities node(const Board& board, std::size_t level, std::span<double> values);
  Probabilities search(const Board& board, std::size_t level, std::span<double> values);
  void expand(const Board& board, std::size_t level, Frame& frame);
  Probabilities finished(int result, std::size_t level, std::span<double> values) const;
  Probabilities leaf(const Board& board, const Probabilities& pre_roll, std::size_t level,
                     std::span<double> values) const;
  void collapse(const Board& board, std::span<const double> expanded_values, std::size_t level,
                std::span<double> values) const;
  void collect_candidates(const Board& board, std::size_t level, Frame& frame) const;
  // The best `kept` of frame.plays into frame.ranked.
  void preselect(bool race, std::size_t kept, Frame& frame) const;
  std::uint32_t choose(std::span<const std::uint32_t> candidates, const CubeValue& state, Frame& frame) const;

  const StaticSource& source_;
  const TreePlan& plan_;
  TreeOptions options_;
  const Deadline& deadline_;
  TreeWorkspace& workspace_;
  Scoring scoring_;
};

}  // namespace botd
