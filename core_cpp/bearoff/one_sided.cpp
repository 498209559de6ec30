#include "bearoff/one_sided.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "bearoff/checksum.hpp"
#include "bearoff/index.hpp"
#include "rules/errors.hpp"

namespace botd::bearoff {
namespace {

constexpr std::size_t kPlainDistribution = kRollCounts * sizeof(std::uint16_t);
constexpr std::size_t kNormalRecord = 4 * sizeof(float);

std::string place(const MappedFile& file, std::uint64_t offset) {
  return file.path().string() + ": offset " + std::to_string(offset) + ": ";
}

OneSidedShape one_sided_shape(const MappedFile& file) {
  const Shape shape = read_header(file);
  if (const auto* one_sided = std::get_if<OneSidedShape>(&shape)) return *one_sided;
  throw DataError(file.path().string() + ": a two-sided bear-off database, expected a one-sided one");
}

float number_at(const MappedFile& file, std::uint64_t offset) {
  return std::bit_cast<float>(file.u32(offset));
}

}  // namespace

std::shared_ptr<const OneSidedDatabase> OneSidedDatabase::open(const std::filesystem::path& path) {
  return std::make_shared<const OneSidedDatabase>(MappedFile(path, "a one-sided bear-off database"));
}

OneSidedDatabase::OneSidedDatabase(MappedFile file)
    : file_(std::move(file)),
      shape_(one_sided_shape(file_)),
      positions_(position_count(shape_.points, shape_.checkers)) {
  if (shape_.normal) {
    record_size_ = kNormalRecord;
    check_normal();
  } else if (shape_.compressed) {
    record_size_ = shape_.gammons ? 8 : 6;
    check_compressed();
  } else {
    record_size_ = shape_.gammons ? 2 * kPlainDistribution : kPlainDistribution;
    check_plain();
  }
  check_standard(file_, header_text(shape_));
}

void OneSidedDatabase::all_off(std::uint32_t index, Distribution& out) const { read(index, false, out); }

void OneSidedDatabase::first_off(std::uint32_t index, Distribution& out) const { read(index, true, out); }

std::uint64_t OneSidedDatabase::record(std::uint32_t index) const {
  return kHeaderSize + static_cast<std::uint64_t>(index) * record_size_;
}

OneSidedDatabase::Stretch OneSidedDatabase::stretch(std::uint32_t index, bool gammon) const {
  const std::uint64_t at = record(index);
  const std::uint64_t data = record(positions_) + 2 * static_cast<std::uint64_t>(file_.u32(at));
  if (!gammon) return {data, file_.u8(at + 4), file_.u8(at + 5)};
  return {data + 2 * static_cast<std::uint64_t>(file_.u8(at + 4)), file_.u8(at + 6), file_.u8(at + 7)};
}

void OneSidedDatabase::read(std::uint32_t index, bool gammon, Distribution& out) const {
  if (shape_.normal) {
    const std::uint64_t at = record(index) + (gammon ? 2 * sizeof(float) : 0);
    const double mean = number_at(file_, at);
    const double deviation = number_at(file_, at + sizeof(float));
    for (std::size_t k = 0; k < kRollCounts; ++k) {
      const auto x = static_cast<double>(k) - mean;
      double p = 0.0;
      if (deviation > 0.0) {
        const double z = x / deviation;
        p = std::exp(-0.5 * z * z) / (deviation * std::sqrt(2.0 * std::numbers::pi));
      } else if (std::abs(x) <= 0.5) {
        p = 1.0;
      }
      out[k] = static_cast<std::uint16_t>(std::lround(kCertain * std::min(p, 1.0)));
    }
    return;
  }
  Stretch stored{};
  if (shape_.compressed) {
    stored = stretch(index, gammon);
  } else {
    stored = {record(index) + (gammon ? kPlainDistribution : 0), kRollCounts, 0};
  }
  out.fill(0);
  for (std::size_t k = 0; k < stored.count; ++k) out[stored.first + k] = file_.u16(stored.offset + 2 * k);
}

void OneSidedDatabase::check_sum(std::uint32_t index, std::uint64_t offset, std::size_t count) const {
  unsigned sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += file_.u16(offset + 2 * k);
  if (sum != kCertain)
    throw DataError(place(file_, offset) + "a distribution of position " + std::to_string(index) +
                    " sums to " + std::to_string(sum) + ", expected 65535");
}

void OneSidedDatabase::check_compressed() const {
  const std::uint64_t data = record(positions_);
  if (file_.size() < data)
    throw DataError(file_.path().string() + ": " + std::to_string(file_.size()) +
                    " bytes, expected at least the " + std::to_string(data) + " of header and " +
                    std::to_string(positions_) + " index records");
  std::uint64_t end = data;  // the data of all positions follow each other without gaps
  for (std::uint32_t index = 0; index < positions_; ++index) {
    for (const bool gammon : {false, true}) {
      if (gammon && !shape_.gammons) break;
      const Stretch stored = stretch(index, gammon);
      if (stored.offset != end)
        throw DataError(place(file_, record(index)) + "the data of position " + std::to_string(index) +
                        " are at " + std::to_string(stored.offset) + ", expected " + std::to_string(end));
      if (stored.count < 1 || stored.first + stored.count > kRollCounts)
        throw DataError(place(file_, record(index) + (gammon ? 6 : 4)) + "a distribution of position " +
                        std::to_string(index) + " has " + std::to_string(stored.count) +
                        " values from roll " + std::to_string(stored.first) +
                        ", expected rolls within 0 to 31");
      end += 2 * stored.count;
      if (end > file_.size())
        throw DataError(file_.path().string() + ": " + std::to_string(file_.size()) +
                        " bytes, but the data of position " + std::to_string(index) + " of " +
                        std::to_string(positions_) + " end at " + std::to_string(end) +
                        "; expected a whole file");
      check_sum(index, stored.offset, stored.count);
    }
  }
  expect_size(file_, end, "the end of the last distribution");
}

void OneSidedDatabase::check_plain() const {
  expect_size(file_, record(positions_), std::to_string(positions_) + " positions");
  const std::uint64_t end = record(positions_);
  for (std::uint64_t offset = kHeaderSize; offset < end; offset += kPlainDistribution)
    check_sum(static_cast<std::uint32_t>((offset - kHeaderSize) / record_size_), offset, kRollCounts);
}

void OneSidedDatabase::check_normal() const {
  expect_size(file_, record(positions_), std::to_string(positions_) + " positions");
  const std::uint64_t end = record(positions_);
  for (std::uint64_t offset = kHeaderSize; offset < end; offset += sizeof(float)) {
    const float value = number_at(file_, offset);
    if (!(value >= 0.0F && value < static_cast<float>(kRollCounts)))
      throw DataError(place(file_, offset) + "a mean or deviation is " + std::to_string(value) +
                      ", expected 0 to 32 rolls");
  }
}

}  // namespace botd::bearoff
