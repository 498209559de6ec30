#include "bearoff/header.hpp"

#include <array>
#include <string_view>

#include "bearoff/index.hpp"
#include "rules/errors.hpp"

namespace botd::bearoff {
namespace {

std::string two_digits(int n) { return {static_cast<char>('0' + n / 10), static_cast<char>('0' + n % 10)}; }

std::string flag(bool on) { return on ? "-1" : "-0"; }

std::string padded(std::string text) {
  text.resize(kHeaderSize - 1, 'x');
  return text + '\n';
}

// Reads the header from left to right; every mismatch names its place.
class Reader {
 public:
  explicit Reader(const MappedFile& file) : file_(file) {}

  [[noreturn]] void refuse(std::size_t at, const std::string& expected) const {
    throw DataError(file_.path().string() + ": offset " + std::to_string(at) + ": " + shown(at) +
                    ", expected " + expected);
  }

  int number(const std::string& what, int most) {
    dash();
    const std::size_t at = at_;
    const int tens = digit(what);
    const int value = 10 * tens + digit(what);
    if (value < 1 || value > most)
      throw DataError(file_.path().string() + ": offset " + std::to_string(at) + ": " + what + " is " +
                      std::to_string(value) + ", expected 1 to " + std::to_string(most));
    return value;
  }

  bool flag(const std::string& what) {
    dash();
    const char c = at(at_);
    if (c != '0' && c != '1') refuse(at_, "0 or 1 (" + what + ")");
    ++at_;
    return c == '1';
  }

  void padding() {
    for (; at_ < kHeaderSize - 1; ++at_)
      if (at(at_) != 'x') refuse(at_, "padding (x) up to the end of the header");
    if (at(at_) != '\n') refuse(at_, "the line feed that ends the header");
  }

  void skip(std::size_t n) { at_ += n; }

 private:
  [[nodiscard]] char at(std::size_t offset) const { return static_cast<char>(file_.u8(offset)); }

  [[nodiscard]] std::string shown(std::size_t offset) const {
    constexpr std::string_view hex = "0123456789abcdef";
    const unsigned c = file_.u8(offset);
    return c > ' ' && c < 0x7f ? std::string("'") + static_cast<char>(c) + "'"
                               : std::string("byte 0x") + hex[c / 16] + hex[c % 16];
  }

  int digit(const std::string& what) {
    const char c = at(at_);
    if (c < '0' || c > '9') refuse(at_, "a digit of " + what);
    ++at_;
    return c - '0';
  }

  void dash() {
    if (at(at_) != '-') refuse(at_, "'-'");
    ++at_;
  }

  const MappedFile& file_;
  std::size_t at_ = 0;
};

constexpr std::string_view kOneSided = "gnubg-OS";
constexpr std::string_view kTwoSided = "gnubg-TS";

}  // namespace

std::string header_text(const OneSidedShape& shape) {
  return padded(std::string(kOneSided) + '-' + two_digits(shape.points) + '-' + two_digits(shape.checkers) +
                flag(shape.gammons) + flag(shape.compressed) + flag(shape.normal));
}

std::string header_text(const TwoSidedShape& shape) {
  return padded(std::string(kTwoSided) + '-' + two_digits(shape.points) + '-' + two_digits(shape.checkers) +
                flag(shape.cubeful));
}

Shape read_header(const MappedFile& file) {
  if (file.size() < kHeaderSize)
    throw DataError(file.path().string() + ": " + std::to_string(file.size()) +
                    " bytes, expected a bear-off database, which begins with a header of 40");
  const std::string_view start(reinterpret_cast<const char*>(file.bytes().data()), kOneSided.size());
  const bool one_sided = start == kOneSided;
  if (!one_sided && start != kTwoSided)
    throw DataError(file.path().string() +
                    ": not a bear-off database, expected a file that begins with gnubg-OS or gnubg-TS");
  Reader reader(file);
  reader.skip(start.size());
  const int points = reader.number("the number of points", kMaxPoints);
  const int checkers = reader.number("the number of checkers", kCheckers);
  if (one_sided) {
    OneSidedShape shape{.points = points, .checkers = checkers};
    shape.gammons = reader.flag("gammon distributions");
    shape.compressed = reader.flag("compressed");
    shape.normal = reader.flag("normal distributions");
    reader.padding();
    return shape;
  }
  TwoSidedShape shape{.points = points, .checkers = checkers};
  shape.cubeful = reader.flag("cubeful");
  reader.padding();
  return shape;
}

void expect_size(const MappedFile& file, std::uint64_t size, const std::string& why) {
  if (file.size() != size)
    throw DataError(file.path().string() + ": " + std::to_string(file.size()) + " bytes, expected " +
                    std::to_string(size) + " (" + why + ")");
}

}  // namespace botd::bearoff
