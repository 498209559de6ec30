#include "bearoff/two_sided.hpp"

#include <string>
#include <utility>

#include "bearoff/checksum.hpp"
#include "bearoff/index.hpp"
#include "rules/errors.hpp"

namespace botd::bearoff {
namespace {

constexpr std::uint64_t kValueSize = sizeof(std::uint16_t);

TwoSidedShape two_sided_shape(const MappedFile& file) {
  const Shape shape = read_header(file);
  if (const auto* two_sided = std::get_if<TwoSidedShape>(&shape)) return *two_sided;
  throw DataError(file.path().string() + ": a one-sided bear-off database, expected a two-sided one");
}

}  // namespace

std::shared_ptr<const TwoSidedDatabase> TwoSidedDatabase::open(const std::filesystem::path& path) {
  return std::make_shared<const TwoSidedDatabase>(MappedFile(path, "a two-sided bear-off database"));
}

TwoSidedDatabase::TwoSidedDatabase(MappedFile file)
    : file_(std::move(file)),
      shape_(two_sided_shape(file_)),
      positions_(position_count(shape_.points, shape_.checkers)) {
  const std::uint64_t record = shape_.cubeful ? 4 * kValueSize : kValueSize;
  std::uint64_t size = 0;  // saturates: 18 points and 15 checkers would be more than can be counted
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(positions_) * positions_, record, &size) ||
      __builtin_add_overflow(size, kHeaderSize, &size))
    size = UINT64_MAX;
  expect_size(file_, size, std::to_string(positions_) + " x " + std::to_string(positions_) + " positions");
  check_standard(file_, header_text(shape_));
}

TwoSidedEquities TwoSidedDatabase::at(std::uint32_t own_index, std::uint32_t opponent_index) const {
  const std::uint64_t number = static_cast<std::uint64_t>(own_index) * positions_ + opponent_index;
  const auto equity = [this](std::uint64_t value) {
    return static_cast<float>(file_.u16(kHeaderSize + value * kValueSize) / 32767.5 - 1.0);
  };
  if (!shape_.cubeful) return {.cubeless = equity(number)};
  const std::uint64_t first = 4 * number;
  return {.cubeless = equity(first),
          .owned = equity(first + 1),
          .centered = equity(first + 2),
          .opponent = equity(first + 3)};
}

}  // namespace botd::bearoff
