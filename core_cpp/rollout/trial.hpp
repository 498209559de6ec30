// One game of a rollout.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cube/cube_state.hpp"
#include "cube/cube_value.hpp"
#include "rollout/dice.hpp"
#include "rollout/roll_plays.hpp"
#include "rollout/settings.hpp"
#include "rollout/sums.hpp"
#include "search/deadline.hpp"
#include "search/tree.hpp"
#include "search/workspace_pool.hpp"

namespace botd::rollout {

// A trial has two branches, which share plays and dice: 0 without a double at the beginning, 1 after double and take.
struct Branch {
  CubeState state;        // seen by the side on roll
  bool finished = false;  // by a pass
  double value = 0.0;     // native, once finished; seen by the starter, money in units of the cube at the beginning
  double luck = 0.0;      // likewise
};

// A trial between two half-moves.
struct Trial {
  Board board;  // seen by the side on roll
  int half_move = 0;
  std::array<Branch, 2> branches;
  std::array<double, 5> luck{};    // cubeless, seen by the starter
  std::optional<Outcome> outcome;  // once it is over

  [[nodiscard]] bool starter_on_roll() const { return half_move % 2 == 0; }
};

// Plays trials with the memory of one thread. What a trial comes to depends on settings, position and dice alone.
class TrialPlayer {
 public:
  TrialPlayer(const Sources& sources, const Settings& settings, const MatchEquityTable& table, int basis,
              const Deadline& deadline, TreeWorkspace& workspace);

  // Doubles and answers before the roll; none at half-move 0. The trial may be over then.
  void act(Trial& trial);
  // Looks at what may be rolled, after act() and before play(). `only`: the roll that play() will be given, or none
  // if it will be given several, one after the other.
  void look(const Trial& trial, std::optional<std::size_t> only);
  // Plays a roll, and removes its luck. The trial may be over then.
  void play(Trial& trial, std::size_t roll);

  // From here to the end.
  void finish(Trial& trial, const Dice& dice, std::uint64_t number);

 private:
  struct Expectation {
    std::array<double, 5> probabilities{};
    std::array<double, 2> values{};  // native, by branch
  };

  const CubeValue& valued(const CubeState& state);
  const CubeValue& driver(const Trial& trial);  // of the branch that chooses the plays
  bool removes_luck(const Trial& trial) const;
  bool cube_aware(const Trial& trial) const;
  // Native values of doubling branches by one tree: without and with the double for each of `states`.
  std::vector<double> searched_doubles(const Board& board, std::span<const CubeState> states);
  bool wants_to_double(const CubeState& state, const Probabilities& p, const Board& board, double efficiency);
  void answer(Trial& trial, Branch& branch, double no_double, double double_take);
  std::uint32_t shared_choice(const Trial& trial, std::size_t roll);
  std::uint32_t choice(const Trial& trial, std::size_t roll);
  std::uint32_t searched_choice(const Trial& trial, std::size_t roll, int ply);
  void remove_luck(Trial& trial, const Probabilities& played, const Board& board);
  void cut_off(Trial& trial);
  // A native value of the side on roll (or its opponent), as the starter counts it.
  double counted(const CubeState& state, double native, bool by_starter) const;
  void conclude(Trial& trial, std::span<const double, 2> values, const Probabilities& p, bool by_starter,
                bool passed = false) const;

  Sources sources_;
  const Settings& settings_;
  const MatchEquityTable& table_;
  int basis_;
  const Deadline& deadline_;
  TreeWorkspace& workspace_;
  RollPlays plays_;
  Expectation expected_;
  std::vector<std::unique_ptr<CubeValue>> cubes_;  // of the states met so far
};

}  // namespace botd::rollout
