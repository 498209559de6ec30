#include "nets/header_json.hpp"

#include <optional>
#include <utility>

#include "rules/errors.hpp"

namespace botd::nets {
namespace {

constexpr int kMostDigits = 9;
constexpr std::size_t kMostNumbers = 256;

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& source, std::size_t first_offset)
      : text_(text), source_(source), first_offset_(first_offset) {}

  HeaderFields object() {
    HeaderFields fields;
    take('{', "a JSON object");
    if (!next_is('}')) {
      do {
        skip_space();
        const std::size_t start = at_;
        std::string key = string("a key in quotes");
        take(':', "a colon behind the key");
        if (!fields.emplace(std::move(key), value()).second) fail(start, "no key twice");
      } while (next_is(','));
      take('}', "a comma or the end of the object");
    }
    skip_space();
    if (at_ != text_.size()) fail(at_, "only spaces behind the object");
    return fields;
  }

 private:
  [[noreturn]] void fail(std::size_t where, const std::string& expected) const {
    throw DataError(source_ + ": offset " + std::to_string(first_offset_ + where) + ": the header is damaged, expected " +
                    expected);
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  bool next_is(char wanted) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void take(char wanted, const char* expected) {
    if (!next_is(wanted)) fail(at_, expected);
  }

  HeaderValue value() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '"') return string("a text");
    if (!next_is('[')) return number("a text, a whole number or a list of them");
    std::vector<std::uint32_t> numbers;
    if (next_is(']')) return numbers;
    do {
      if (numbers.size() == kMostNumbers) fail(at_, "at most " + std::to_string(kMostNumbers) + " numbers");
      numbers.push_back(number("a whole number"));
    } while (next_is(','));
    take(']', "a comma or the end of the list");
    return numbers;
  }

  std::uint32_t number(const char* expected) {
    skip_space();
    const std::size_t start = at_;
    std::uint32_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (at_ - start == kMostDigits) fail(start, "a number of at most nine digits");
      value = 10 * value + static_cast<std::uint32_t>(text_[at_] - '0');
    }
    if (at_ == start) fail(start, expected);
    if (at_ - start > 1 && text_[start] == '0') fail(start, "a number without leading zeros");
    return value;
  }

  std::string string(const char* expected) {
    if (!next_is('"')) fail(at_, expected);
    std::string out;
    for (;;) {
      if (at_ == text_.size()) fail(at_, "the closing quote of a text");
      const char c = text_[at_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) fail(at_, "no bare control character in a text");
      if (c == '\\')
        out += escape();
      else
        out += utf8_character();
    }
    ++at_;
    return out;
  }

  // The bytes of one character, checked.
  std::string_view utf8_character() {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text_[i]); };
    const unsigned char lead = byte(at_);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || text_.size() - at_ < length) fail(at_, "UTF-8");
    for (std::size_t i = 1; i < length; ++i)
      if ((byte(at_ + i) & 0xC0U) != 0x80) fail(at_, "UTF-8");
    const unsigned char second = length > 1 ? byte(at_ + 1) : 0;
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool outside = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90);
    if (overlong || outside) fail(at_, "UTF-8");
    at_ += length;
    return text_.substr(at_ - length, length);
  }

  std::string escape() {
    const std::size_t start = at_++;
    if (at_ == text_.size()) fail(start, "an escape");
    switch (text_[at_++]) {
      case '"':
        return "\"";
      case '\\':
        return "\\";
      case '/':
        return "/";
      case 'b':
        return "\b";
      case 'f':
        return "\f";
      case 'n':
        return "\n";
      case 'r':
        return "\r";
      case 't':
        return "\t";
      case 'u':
        return encoded(code_point(start));
      default:
        fail(start, "an escape of JSON");
    }
  }

  std::uint32_t code_point(std::size_t start) {
    const std::uint32_t first = four_digits(start);
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first > 0xDBFF || text_.substr(at_, 2) != "\\u") fail(start, "a pair of surrogates");
    at_ += 2;
    const std::uint32_t second = four_digits(start);
    if (second < 0xDC00 || second > 0xDFFF) fail(start, "a pair of surrogates");
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  std::uint32_t four_digits(std::size_t start) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const std::optional<std::uint32_t> digit = at_ < text_.size() ? hex_digit(text_[at_]) : std::nullopt;
      if (!digit) fail(start, "four hexadecimal digits");
      value = 16 * value + *digit;
    }
    return value;
  }

  static std::optional<std::uint32_t> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<std::uint32_t>(c - 'A' + 10);
    return std::nullopt;
  }

  static std::string encoded(std::uint32_t point) {
    const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
    if (point < 0x80) return {static_cast<char>(point)};
    if (point < 0x800) return {static_cast<char>(0xC0 | (point >> 6)), tail(0)};
    if (point < 0x10000) return {static_cast<char>(0xE0 | (point >> 12)), tail(6), tail(0)};
    return {static_cast<char>(0xF0 | (point >> 18)), tail(12), tail(6), tail(0)};
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t first_offset_;
  std::size_t at_ = 0;
};

}  // namespace

HeaderFields parse_header(std::string_view text, const std::string& source, std::size_t first_offset) {
  return HeaderParser(text, source, first_offset).object();
}

}  // namespace botd::nets
