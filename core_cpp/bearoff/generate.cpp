#include "bearoff/generate.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

#include "bearoff/index.hpp"
#include "bearoff/one_sided_solver.hpp"
#include "bearoff/output_file.hpp"
#include "bearoff/two_sided_solver.hpp"

namespace botd::bearoff {
namespace {

// Compares what is written with a file.
class Comparison final : public ByteSink {
 public:
  explicit Comparison(const MappedFile& file) : left_(file.bytes()) {}

  void write(std::span<const std::byte> bytes) override {
    if (difference_) return;
    const auto ends = std::mismatch(bytes.begin(), bytes.end(), left_.begin(), left_.end());
    const auto same = static_cast<std::size_t>(ends.first - bytes.begin());
    left_ = left_.subspan(same);
    offset_ += same;
    if (same < bytes.size()) difference_ = offset_;
  }

  // Offset of the first byte that is missing, wrong or too many.
  [[nodiscard]] std::optional<std::uint64_t> difference() const {
    if (!difference_ && !left_.empty()) return offset_;
    return difference_;
  }

 private:
  std::span<const std::byte> left_;
  std::uint64_t offset_ = 0;
  std::optional<std::uint64_t> difference_;
};

// The stretch of a distribution that is not zero.
std::span<const std::uint16_t> stretch(const Distribution& values) {
  const auto used = [](std::uint16_t value) { return value != 0; };
  const auto begin = std::find_if(values.begin(), values.end(), used);
  const auto end = std::find_if(values.rbegin(), values.rend(), used).base();
  return {begin, end};
}

void put(ByteSink& out, std::uint64_t value, std::size_t bytes) {
  std::array<std::byte, 8> text{};
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<std::byte>(value >> (8 * i));
  out.write(std::span(text).first(bytes));
}

void put(ByteSink& out, std::span<const std::uint16_t> values) {
  for (const std::uint16_t value : values) put(out, value, sizeof value);
}

void write_compressed(ByteSink& out, const OneSidedSolution& solution, bool gammons) {
  std::uint64_t offset = 0;
  const auto put_range = [&](const Distribution& values) {
    const auto stored = stretch(values);
    put(out, stored.size(), 1);
    put(out, static_cast<std::uint64_t>(stored.data() - values.data()), 1);
    offset += stored.size();
  };
  for (std::uint32_t i = 0; i < solution.positions(); ++i) {
    put(out, offset, sizeof(std::uint32_t));
    put_range(solution.all_off(i));
    if (gammons) put_range(solution.first_off(i));
  }
  for (std::uint32_t i = 0; i < solution.positions(); ++i) {
    put(out, stretch(solution.all_off(i)));
    if (gammons) put(out, stretch(solution.first_off(i)));
  }
}

void write_plain(ByteSink& out, const OneSidedSolution& solution, bool gammons) {
  for (std::uint32_t i = 0; i < solution.positions(); ++i) {
    put(out, solution.all_off(i));
    if (gammons) put(out, solution.first_off(i));
  }
}

template <class Shape>
void check(const Shape& shape, const WorkOptions& options) {
  const auto range = [](const char* what, int value, int most) {
    if (value < 1 || value > most)
      throw std::invalid_argument(std::string(what) + ": expected 1 to " + std::to_string(most) + ", got " +
                                  std::to_string(value));
  };
  range("points", shape.points, kMaxPoints);
  range("checkers", shape.checkers, kCheckers);
  range("threads", options.threads, kMaxThreads);
  if constexpr (std::is_same_v<Shape, OneSidedShape>)
    if (shape.normal) throw std::invalid_argument("normal distributions: are read, not made");
  constexpr std::uint64_t kMiB = 1 << 20;
  if (const std::uint64_t needed = memory_needed(shape); needed > kMemoryLimit)
    throw std::invalid_argument(
        "a database of " + std::to_string(shape.points) + " points and " + std::to_string(shape.checkers) +
        " checkers takes " + std::to_string(needed / kMiB) +
        " MiB of memory to make; expected one that takes at most " + std::to_string(kMemoryLimit / kMiB));
}

void put_header(ByteSink& out, const std::string& text) { out.write(std::as_bytes(std::span(text))); }

void compute(const OneSidedShape& shape, ByteSink& out, const WorkOptions& options) {
  const OneSidedSolution solution(shape.points, shape.checkers, shape.gammons, options);
  put_header(out, header_text(shape));
  if (shape.compressed) {
    write_compressed(out, solution, shape.gammons);
  } else {
    write_plain(out, solution, shape.gammons);
  }
}

void compute(const TwoSidedShape& shape, ByteSink& out, const WorkOptions& options) {
  const TwoSidedSolution solution(shape.points, shape.checkers, options);
  put_header(out, header_text(shape));
  for (const TwoSidedSolution::Values& values : solution.values())
    put(out, std::span(values).first(shape.cubeful ? values.size() : 1));
}

template <class Shape>
void compute_file(const Shape& shape, const std::filesystem::path& path, const WorkOptions& options) {
  check(shape, options);
  OutputFile file(path);  // first, so that a place that cannot be written is known before the work
  compute(shape, file, options);
  file.commit();
}

}  // namespace

std::uint64_t memory_needed(const OneSidedShape& shape) {
  return OneSidedSolution::memory_needed(shape.points, shape.checkers, shape.gammons);
}

std::uint64_t memory_needed(const TwoSidedShape& shape) {
  return TwoSidedSolution::memory_needed(shape.points, shape.checkers);
}

void generate(const OneSidedShape& shape, const std::filesystem::path& path, const WorkOptions& options) {
  compute_file(shape, path, options);
}

void generate(const TwoSidedShape& shape, const std::filesystem::path& path, const WorkOptions& options) {
  compute_file(shape, path, options);
}

std::optional<std::uint64_t> first_difference(const MappedFile& file, const WorkOptions& options) {
  Comparison comparison(file);
  std::visit(
      [&](const auto& shape) {
        check(shape, options);
        compute(shape, comparison, options);
      },
      read_header(file));
  return comparison.difference();
}

}  // namespace botd::bearoff
