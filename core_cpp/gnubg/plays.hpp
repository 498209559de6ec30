// Legal plays of a node's rolls in gnubg's order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rules/board.hpp"

namespace botd::gnubg {

// Results of all rolls of one position, each distinct board stored once and found by number.
//
// Order of a roll's results: depth first, (die1, die2) exhausted before (die2, die1); steps are tried from
// the highest point down, those of a double from the point just left; a result met again keeps its first
// place. Order decides between exactly equal plays, and which plays a search prunes (gnubg-evaluator
// specification 8.2).
class PlayTable {
 public:
  using Number = std::uint32_t;

  static constexpr std::size_t kSlotsOfNode = 2048;
  static constexpr std::size_t kSlotsOfRoll = 128;

  // `slots`: a power of two, twice as many as there will be results, or the table grows.
  explicit PlayTable(std::size_t slots = kSlotsOfNode) : first_slots_(slots) {}

  // Forgets everything; results of `board` will be asked for. It must be possible (board_error) and the game
  // not over. Storage is kept, so a table used again does not allocate.
  void start(const Board& board);

  // hash() of a board seen by the side on roll, as turned() has it.
  [[nodiscard]] static std::uint64_t hash_of(const Board& turned);

  // Appends the results of a roll to `results` and says how many they are; 0 if no checker can move.
  // Dice 1..6.
  std::size_t add_roll(int die1, int die2, std::vector<Number>& results);

  // Number of the unchanged board.
  Number add_unmoved();

  // By number: the board as the other side sees it, which is on roll there.
  [[nodiscard]] std::span<const Board> turned() const { return turned_; }
  // A number for each board that depends on the board alone; different boards practically never share one.
  [[nodiscard]] std::uint64_t hash(Number number) const { return entries_[number].hash; }
  [[nodiscard]] std::size_t size() const { return turned_.size(); }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t list = 0;  // the list the entry was last put into
  };
  struct Slot {
    std::uint32_t generation = 0;  // occupied only if it is the table's own
    Number number = 0;
  };
  // The position in the course of a sequence of steps.
  struct State {
    Board board;
    std::uint64_t hash = 0;
    std::uint32_t own = 0;      // bit p: own checkers on point p, 25 the bar
    std::uint32_t blocked = 0;  // bit p: two or more of the opponent's
  };

  static void set_up(State& state, const Board& board);
  [[nodiscard]] static std::uint32_t sources(const State& state, int die);
  [[nodiscard]] static State after_step(const State& state, int from, int die);
  void play_mixed(int first, int second);
  void play_double(const State& state, int die, int used, std::uint32_t allowed);
  void record(const State& state, int steps, int pips);
  Number insert(const State& state);
  void grow();

  std::size_t first_slots_;
  State start_;
  std::vector<Board> boards_;
  std::vector<Board> turned_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::uint32_t generation_ = 0;

  // The list under construction.
  std::vector<Number>* results_ = nullptr;
  std::size_t first_ = 0;
  std::uint32_t list_ = 0;
  int most_steps_ = 0;
  int most_pips_ = 0;
};

}  // namespace botd::gnubg
