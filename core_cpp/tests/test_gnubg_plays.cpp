#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "gnubg/plays.hpp"
#include "random_boards.hpp"
#include "rules/moves.hpp"

using namespace botd;

TEST_CASE("a play table holds every roll's results, each board once") {
  std::mt19937 random(11);
  gnubg::PlayTable table;
  BoardList expected;
  for (int n = 0; n < 300; ++n) {
    const Board board = testing::random_board(random);
    if (board_error(board) != nullptr || game_result(board) != 0) continue;
    table.start(board);
    std::vector<gnubg::PlayTable::Number> results;
    for (const Roll& roll : kRolls) {
      const std::size_t before = results.size();
      const std::size_t count = table.add_roll(roll.die2, roll.die1, results);
      REQUIRE(results.size() == before + count);
      std::vector<Board> found;
      for (std::size_t i = before; i < results.size(); ++i) {
        found.push_back(mirrored(table.turned()[results[i]]));
      }
      legal_boards(board, roll.die1, roll.die2, expected);
      std::vector<Board> sorted(expected.begin(), expected.end());
      std::sort(sorted.begin(), sorted.end());
      std::sort(found.begin(), found.end());
      CHECK(found == sorted);
    }
    const auto unmoved = table.add_unmoved();
    CHECK(table.turned()[unmoved] == mirrored(board));
    CHECK(table.add_unmoved() == unmoved);
    for (gnubg::PlayTable::Number n = 0; n < table.size(); ++n) {
      CHECK(table.hash(n) == gnubg::PlayTable::hash_of(table.turned()[n]));
    }
    std::vector<Board> all(table.turned().begin(), table.turned().end());
    std::sort(all.begin(), all.end());
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  }
}
