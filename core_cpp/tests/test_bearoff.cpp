#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bearoff/bearoff_moves.hpp"
#include "bearoff/checksum.hpp"
#include "bearoff/databases.hpp"
#include "bearoff/generate.hpp"
#include "bearoff/index.hpp"
#include "bearoff/one_sided.hpp"
#include "bearoff/two_sided.hpp"
#include "rules/errors.hpp"
#include "rules/moves.hpp"
#include "tests/random_boards.hpp"

using namespace botd;
using namespace botd::bearoff;

namespace {

// A folder that is gone at the end of the test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("botd-bearoff-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const char* name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::vector<char> content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::filesystem::path& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

Board board_of_side(const Counts& counts) {
  Board board;
  for (std::size_t i = 0; i < counts.size(); ++i) board.at(i + 1) = static_cast<std::int8_t>(counts[i]);
  return board;
}

}  // namespace

TEST_CASE("bear-off index: one number for each position, smaller after every play") {
  std::mt19937 random(1);
  for (int points = 1; points <= kMaxPoints; ++points) {
    const auto n = static_cast<std::size_t>(points);
    const Counts none{};
    CHECK(position_index(std::span(none).first(n)) == 0);
    for (int tries = 0; tries < 200; ++tries) {
      const std::uint32_t index = random() % position_count(points, kCheckers);
      const Counts counts = counts_of(index, points);
      REQUIRE(position_index(std::span(counts).first(n)) == index);
      const Board board = board_of_side(counts);
      REQUIRE(own_index(board, points) == index);
      REQUIRE(opponent_index(mirrored(board), points) == index);
      if (index == 0) continue;
      for_each_play(counts, points, 6, 1,
                    [&](const Counts& after) { REQUIRE(position_index(std::span(after).first(n)) < index); });
    }
  }
}

TEST_CASE("bear-off plays are the legal plays of the rules") {
  std::mt19937 random(2);
  BoardList legal;
  for (int tries = 0; tries < 2000; ++tries) {
    const int points = 1 + static_cast<int>(random() % kMaxPoints);
    const Counts counts = counts_of(1 + random() % (position_count(points, 6) - 1), points);
    const Roll roll = kRolls[random() % kRolls.size()];
    legal_boards(board_of_side(counts), roll.die1, roll.die2, legal);
    const std::set<Board> expected(legal.begin(), legal.end());
    std::set<Board> found;
    for_each_play(counts, points, roll.die1, roll.die2,
                  [&](const Counts& after) { found.insert(board_of_side(after)); });
    REQUIRE(found == expected);
  }
}

TEST_CASE("bear-off coverage: no contact, few enough checkers, near enough, on both sides") {
  Board board;
  board.at(1) = 2;
  board.at(6) = 1;
  board.at(24) = -1;
  CHECK(covers(board, 6, 3));
  CHECK(covers(mirrored(board), 6, 3));
  CHECK_FALSE(covers(board, 6, 2));
  CHECK_FALSE(covers(board, 5, 3));
  CHECK_FALSE(covers(mirrored(board), 5, 3));
  board.at(24) = 0;
  CHECK_FALSE(covers(board, 6, 15));  // the game is over
  board.at(7) = -1;
  CHECK(covers(board, 18, 3));
  CHECK_FALSE(covers(board, 17, 3));
  board.at(7) = 0;
  board.at(5) = -1;
  CHECK_FALSE(covers(board, 18, 15));  // contact
  board.at(5) = 0;
  board.at(kOpponentBar) = 1;
  CHECK_FALSE(covers(board, 18, 15));
}

TEST_CASE("bear-off databases: generated, read, the same on several threads") {
  const Folder folder;
  const std::filesystem::path path = folder / "one.bd";
  for (const OneSidedShape shape : {OneSidedShape{3, 15, true, true}, OneSidedShape{3, 15, false, false},
                                    OneSidedShape{7, 4, true, false}, OneSidedShape{1, 1, false, true}}) {
    generate(shape, path);
    const std::vector<char> once = content(path);
    const auto database = OneSidedDatabase::open(path);
    CHECK(database->shape() == shape);
    CHECK(database->positions() == position_count(shape.points, shape.checkers));
    Distribution values;
    for (std::uint32_t i = 0; i < database->positions(); ++i) {
      database->all_off(i, values);
      CHECK((values[0] == kCertain) == (i == 0));
      if (database->has_gammons()) database->first_off(i, values);
    }
    WorkOptions options;
    options.threads = 4;
    generate(shape, path, options);
    CHECK(content(path) == once);
  }
  for (const bool cubeful : {false, true}) {
    generate(TwoSidedShape{4, 3, cubeful}, path);
    const std::vector<char> once = content(path);
    const auto database = TwoSidedDatabase::open(path);
    for (std::uint32_t i = 0; i < database->positions(); ++i) {
      for (std::uint32_t k = 0; k < database->positions(); ++k) {
        const TwoSidedEquities e = database->at(i, k);
        CHECK(e.cubeless >= -1.0F);
        CHECK(e.cubeless <= 1.0F);
        if (!cubeful) continue;
        CHECK(e.owned >= e.centered);
        CHECK(e.centered >= e.opponent);
      }
    }
    WorkOptions options;
    options.threads = 3;
    generate(TwoSidedShape{4, 3, cubeful}, path, options);
    CHECK(content(path) == once);
  }
}

TEST_CASE("bear-off generation stops on request, from every thread count, and leaves nothing behind") {
  const Folder folder;
  for (const int threads : {1, 2, 5}) {
    for (const int calls : {0, 1, 7}) {
      WorkOptions options;
      options.threads = threads;
      options.progress = [left = calls](double) mutable { return left-- > 0; };
      CHECK_THROWS_AS(generate(OneSidedShape{6, 6}, folder / "one.bd", options), Cancelled);
      CHECK_THROWS_AS(generate(TwoSidedShape{6, 3}, folder / "two.bd", options), Cancelled);
    }
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("bear-off files: cut, swollen and with changed bits they are refused or read within their bounds") {
  const Folder folder;
  const std::filesystem::path path = folder / "changed.bd";
  std::mt19937 random(3);
  std::size_t refused = 0;
  std::size_t read = 0;
  const auto visit = [&](bool one_sided) {
    try {
      if (one_sided) {
        const auto database = OneSidedDatabase::open(path);
        Distribution values;
        for (std::uint32_t i = 0; i < database->positions(); ++i) {
          database->all_off(i, values);
          if (database->has_gammons()) database->first_off(i, values);
        }
      } else {
        const auto database = TwoSidedDatabase::open(path);
        for (std::uint32_t i = 0; i < database->positions(); ++i)
          (void)database->at(i, database->positions() - 1 - i);
      }
      ++read;
    } catch (const DataError&) {
      ++refused;
    }
  };
  for (int layout = 0; layout < 6; ++layout) {
    const bool one_sided = layout < 4;
    if (one_sided) {
      generate(OneSidedShape{2, 15, layout % 2 == 1, layout / 2 == 1}, path);
    } else {
      generate(TwoSidedShape{2, 3, layout == 5}, path);
    }
    const std::vector<char> whole = content(path);
    for (int tries = 0; tries < 300; ++tries) {
      std::vector<char> bytes = whole;
      if (tries % 3 == 0) {
        bytes.resize(random() % (whole.size() + 100));
      } else {
        const std::size_t region = tries % 3 == 1 ? std::min<std::size_t>(bytes.size(), 300) : bytes.size();
        for (unsigned n = 1 + random() % 4; n > 0; --n)
          bytes[random() % region] ^= static_cast<char>(1U << random() % 8);
      }
      write(path, bytes);
      visit(one_sided);
    }
  }
  CHECK(refused > 600);
  CHECK(read > 0);
}

TEST_CASE("bear-off databases answer for both sides, two-sided first, and for nothing they do not have") {
  const Folder folder;
  generate(OneSidedShape{6, 15, false, true}, folder / "one.bd");
  generate(TwoSidedShape{6, 3, true}, folder / "two.bd");
  const Databases both = Databases::open(folder / "one.bd", folder / "two.bd");
  const Databases one = Databases::open(folder / "one.bd", {});
  const Databases two = Databases::open({}, folder / "two.bd");
  CHECK(both.files().size() == 2);
  std::mt19937 random(4);
  const auto side = [&](Board& board, int checkers, bool own) {
    for (; checkers > 0; --checkers) {
      const std::size_t point = 1 + random() % 6;
      std::int8_t& count = board.at(own ? point : kPoints + 1 - point);
      count = static_cast<std::int8_t>(count + (own ? 1 : -1));
    }
  };
  for (int tries = 0; tries < 500; ++tries) {
    Board board;
    side(board, 1 + static_cast<int>(random() % kCheckers), true);
    side(board, 1 + static_cast<int>(random() % (tries % 2 == 0 ? 3 : kCheckers)), false);
    const auto p = both.on_roll(board);
    REQUIRE(p);
    REQUIRE(p->win >= p->win_gammon);
    REQUIRE(1.0F - p->win + 1e-6F >= p->lose_gammon);
    REQUIRE(both.after_play(mirrored(board)) == inverted(*p));
    REQUIRE(p == (both.covers_two_sided(board) ? two.on_roll(board) : one.on_roll(board)));
    REQUIRE(both.money(board).has_value() == both.covers_two_sided(board));
    REQUIRE_FALSE(one.money(board));
    REQUIRE(two.on_roll(board).has_value() == two.covers(board));
  }
  CHECK_FALSE(both.on_roll(starting_board()));
  CHECK_FALSE(both.after_play(starting_board()));
  CHECK_FALSE(Databases().covers(starting_board()));
}

TEST_CASE("bear-off checksum: every bit counts, and so does the length") {
  std::vector<std::byte> bytes(37);
  std::set<std::uint64_t> sums{checksum(bytes)};
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const std::byte mask{static_cast<unsigned char>(1U << bit % 8)};
    bytes[bit / 8] ^= mask;
    sums.insert(checksum(bytes));
    bytes[bit / 8] ^= mask;
  }
  bytes.resize(38);
  sums.insert(checksum(bytes));
  CHECK(sums.size() == 37 * 8 + 2);
}
