// Expectation over dice to a fixed depth, with the cube, most replies left out unseen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fast/cube_plan.hpp"
#include "fast/settings.hpp"
#include "fast/value_source.hpp"
#include "rules/moves.hpp"
#include "search/deadline.hpp"
#include "search/tree.hpp"

namespace botd::fast {

// Reusable memory of one search thread.
class Workspace {
 public:
  Workspace(const ValueSource& source, std::size_t cache_bytes) : scratch_(source.make_scratch(cache_bytes)) {}

  [[nodiscard]] ValueSource::Scratch& scratch() { return *scratch_; }

 private:
  friend class Tree;
  using Number = std::uint32_t;

  // One node. Boards are those after the plays of its rolls, each different one once; numbers are their places.
  struct Frame {
    BoardList plays;
    BoardIndex boards;
    std::vector<Number> candidates;  // of all rolls, one after the other
    std::array<std::size_t, kRolls.size() + 1> roll_start{};
    std::vector<float> rough;
    std::vector<std::pair<float, Number>> ranked;  // of one roll
    std::vector<Number> kept_as;                   // by number: its place in `kept`, or kLeftOut
    std::vector<Board> kept;
    std::vector<double> ratings;  // of kept boards
    std::vector<float> ties;
    std::array<Number, kRolls.size()> chosen{};      // different boards after the rolls, as places in `kept`
    std::array<std::uint8_t, kRolls.size()> ways{};  // of the 36 that lead there
    std::size_t chosen_count = 0;
    std::vector<double> values;  // a row for each chosen board, by expanded state
    std::array<Probabilities, kRolls.size()> probabilities{};
    std::vector<double> sums;
    std::vector<double> child;  // of one node below
  };

  std::unique_ptr<ValueSource::Scratch> scratch_;
  std::vector<std::unique_ptr<Frame>> frames_;
};

// Trees of one plan. Node values depend on the board, the plan and the pruning alone.
class Tree {
 public:
  // The boards that the rolls of a root lead to by the best plays, each different one once, seen by the side then on
  // roll.
  struct Expansion {
    std::size_t count = 0;
    std::array<Board, kRolls.size()> boards{};
    std::array<std::uint8_t, kRolls.size()> ways{};    // of 36
    std::array<std::size_t, kRolls.size()> index{};    // free for the caller's use
  };
  // A board's values by the expanded states of the level above and the outcome probabilities (of a source that has
  // them), both seen by the side that has moved to it.
  struct Branch {
    std::span<const double> values;
    const Probabilities* probabilities = nullptr;
    int ways = 0;
  };

  // What is passed must outlive the tree; begin() of the scratch is the caller's. `workspace` is used by this tree
  // alone while it lives.
  Tree(const ValueSource& source, const CubePlan& plan, const ReplyPruning& pruning, const Deadline& deadline,
       Workspace& workspace);

  // Value of a root that is no leaf: native values of the plan's root states for the side on roll, and the averaged
  // outcome probabilities. Throws DeadlineExceeded.
  Probabilities run(const Board& on_roll, std::span<double> values);

  // run() in three parts, for trees of depth 2 and more.
  [[nodiscard]] Expansion expand_root(const Board& on_roll);
  // Writes what Branch shows.
  Probabilities run_branch(const Board& on_roll, std::size_t level, std::span<double> values);
  Probabilities fold(const Board& on_roll, std::size_t level, std::span<const Branch> branches,
                     std::span<double> values);

 private:
  using Frame = Workspace::Frame;
  using Number = Workspace::Number;

  Frame& frame(std::size_t level) { return *workspace_.frames_[level]; }
  Probabilities node(const Board& on_roll, std::size_t level, std::span<double> values);
  void choose(const Board& on_roll, std::size_t level, Frame& frame);
  void collect(const Board& on_roll, Frame& frame) const;
  void keep_all(Frame& frame) const;
  void keep_best(const Board& on_roll, Frame& frame);
  void keep(Number number, Frame& frame) const;

  const ValueSource& source_;
  const CubePlan& plan_;
  ReplyPruning pruning_;
  const Deadline& deadline_;
  Workspace& workspace_;
};

}  // namespace botd::fast
