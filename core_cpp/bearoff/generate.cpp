#include "bearoff/generate.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "bearoff/index.hpp"
#include "bearoff/one_sided_solver.hpp"
#include "bearoff/output_file.hpp"
#include "bearoff/two_sided_solver.hpp"

namespace botd::bearoff {
namespace {

// The stretch of a distribution that is not zero.
std::span<const std::uint16_t> stretch(const Distribution& values) {
  const auto used = [](std::uint16_t value) { return value != 0; };
  const auto begin = std::find_if(values.begin(), values.end(), used);
  const auto end = std::find_if(values.rbegin(), values.rend(), used).base();
  return {begin, end};
}

void put(OutputFile& file, std::uint64_t value, std::size_t bytes) {
  std::array<std::byte, 8> out{};
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(value >> (8 * i));
  file.write(std::span(out).first(bytes));
}

void put(OutputFile& file, std::span<const std::uint16_t> values) {
  for (const std::uint16_t value : values) put(file, value, sizeof value);
}

void write_compressed(OutputFile& file, const OneSidedSolution& solution, bool gammons) {
  std::uint64_t offset = 0;
  const auto put_range = [&](const Distribution& values) {
    const auto stored = stretch(values);
    put(file, stored.size(), 1);
    put(file, static_cast<std::uint64_t>(stored.data() - values.data()), 1);
    offset += stored.size();
  };
  for (std::uint32_t i = 0; i < solution.positions(); ++i) {
    put(file, offset, sizeof(std::uint32_t));
    put_range(solution.all_off(i));
    if (gammons) put_range(solution.first_off(i));
  }
  for (std::uint32_t i = 0; i < solution.positions(); ++i) {
    put(file, stretch(solution.all_off(i)));
    if (gammons) put(file, stretch(solution.first_off(i)));
  }
}

void write_plain(OutputFile& file, const OneSidedSolution& solution, bool gammons) {
  for (std::uint32_t i = 0; i < solution.positions(); ++i) {
    put(file, solution.all_off(i));
    if (gammons) put(file, solution.first_off(i));
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
  constexpr std::uint64_t kMiB = 1 << 20;
  if (const std::uint64_t needed = memory_needed(shape); needed > kMemoryLimit)
    throw std::invalid_argument("a database of " + std::to_string(shape.points) + " points and " +
                                std::to_string(shape.checkers) + " checkers takes " + std::to_string(needed / kMiB) +
                                " MiB of memory to make; expected one that takes at most " +
                                std::to_string(kMemoryLimit / kMiB));
}

}  // namespace

std::uint64_t memory_needed(const OneSidedShape& shape) {
  return OneSidedSolution::memory_needed(shape.points, shape.checkers, shape.gammons);
}

std::uint64_t memory_needed(const TwoSidedShape& shape) {
  return TwoSidedSolution::memory_needed(shape.points, shape.checkers);
}

void generate(const OneSidedShape& shape, const std::filesystem::path& path, const WorkOptions& options) {
  check(shape, options);
  if (shape.normal) throw std::invalid_argument("normal distributions are read, not made");
  OutputFile file(path);  // first, so that a place that cannot be written is known before the work
  const OneSidedSolution solution(shape.points, shape.checkers, shape.gammons, options);
  file.write(header_text(shape));
  if (shape.compressed) {
    write_compressed(file, solution, shape.gammons);
  } else {
    write_plain(file, solution, shape.gammons);
  }
  file.commit();
}

void generate(const TwoSidedShape& shape, const std::filesystem::path& path, const WorkOptions& options) {
  check(shape, options);
  OutputFile file(path);
  const TwoSidedSolution solution(shape.points, shape.checkers, options);
  file.write(header_text(shape));
  for (const TwoSidedSolution::Values& values : solution.values())
    put(file, std::span(values).first(shape.cubeful ? values.size() : 1));
  file.commit();
}

}  // namespace botd::bearoff
