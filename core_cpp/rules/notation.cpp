#include "rules/notation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace botd {
namespace {

// The way of one checker: where it starts, where it hits on the way, where it ends.
struct Chain {
  std::array<std::int8_t, kMaxSteps + 1> points{};
  std::uint8_t size = 0;
  std::uint8_t count = 1;  // checkers that go this way

  void add(std::int8_t point) { points[size++] = point; }
  [[nodiscard]] bool goes_like(const Chain& other) const {
    return size == other.size && std::equal(points.begin(), points.begin() + size, other.points.begin());
  }
};

// Different chains in the order of the rearmost checker first.
struct Chains {
  std::array<Chain, kMaxSteps> chains;
  std::size_t size = 0;

  void add(const Chain& chain) {
    for (std::size_t i = 0; i < size; ++i) {
      if (chains[i].goes_like(chain)) {
        ++chains[i].count;
        return;
      }
    }
    chains[size++] = chain;
  }
};

bool is_blot(const Board& board, int point) {
  return point > 0 && point < kOwnBar && board[static_cast<std::size_t>(point)] == -1;
}

Chains chains_of(const Board& board, std::span<const Step> steps) {
  std::array<Step, kMaxSteps> sorted{};
  const std::size_t count = std::min(steps.size(), sorted.size());
  std::copy_n(steps.begin(), count, sorted.begin());
  std::sort(sorted.begin(), sorted.begin() + count, [](const Step& a, const Step& b) {
    return a.from != b.from ? a.from > b.from : a.to > b.to;
  });
  std::array<bool, kMaxSteps> joined{};
  Chains found;
  for (std::size_t i = 0; i < count; ++i) {
    if (joined[i]) continue;
    Chain chain;
    chain.add(sorted[i].from);
    std::int8_t end = sorted[i].to;
    for (std::size_t k = i + 1; k < count; ++k) {
      if (joined[k] || sorted[k].from != end) continue;
      if (is_blot(board, end)) chain.add(end);
      end = sorted[k].to;
      joined[k] = true;
    }
    chain.add(end);
    found.add(chain);
  }
  return found;
}

void append_point(std::string& text, int point) {
  if (point == kOwnBar)
    text += "bar";
  else if (point == 0)
    text += "off";
  else
    text += std::to_string(point);
}

}  // namespace

std::string notation(const Board& board, std::span<const Step> steps) {
  std::string text;
  const Chains found = chains_of(board, steps);
  std::uint32_t marked = 0;  // a blot is hit once only
  for (std::size_t i = 0; i < found.size; ++i) {
    const Chain& chain = found.chains[i];
    if (!text.empty()) text += ' ';
    append_point(text, chain.points[0]);
    for (std::size_t k = 1; k < chain.size; ++k) {
      const int point = chain.points[k];
      text += '/';
      append_point(text, point);
      const bool on_the_way = k + 1 < chain.size;
      const std::uint32_t bit = 1U << point;
      if (on_the_way || (is_blot(board, point) && (marked & bit) == 0)) {
        text += '*';
        marked |= bit;
      }
    }
    if (chain.count > 1) text.append("(").append(std::to_string(chain.count)).append(")");
  }
  return text;
}

}  // namespace botd
