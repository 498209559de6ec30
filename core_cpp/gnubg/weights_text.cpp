// Beside gnubg's own form, where the networks stand in a fixed order, there is one (the package gnubg-nn has it)
// that puts a line with the network's name before each, in any order.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include "gnubg/weight_formats.hpp"

namespace botd::gnubg {
namespace {

constexpr std::string_view kSpaces = " \t\r";

std::string_view stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::vector<std::string_view> fields(std::string_view line) {
  std::vector<std::string_view> found;
  for (std::string_view rest = stripped(line); !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(kSpaces), rest.size());
    found.push_back(rest.substr(0, end));
    rest = stripped(rest.substr(end));
  }
  return found;
}

// The whole of `text` as a decimal number, whatever the locale.
template <typename Number>
std::optional<Number> parsed(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return number;
}

// For messages: a hostile line may be long or unprintable.
std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > kMost ? "...'" : "'");
}

class LineReader {
 public:
  LineReader(std::string_view content, const std::string& source) : rest_(content), source_(source) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  // The next line without its end. Throws at the end of the file.
  std::string_view next(const std::string& what) {
    ++line_;
    if (at_end()) throw DataError(place() + "the file ends, expected " + what);
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return stripped(line);
  }

  // About the line just read.
  [[nodiscard]] DataError error(std::string_view found, const std::string& expected) const {
    return DataError(place() + quoted(found) + ", expected " + expected);
  }

 private:
  [[nodiscard]] std::string place() const { return source_ + ": line " + std::to_string(line_) + ": "; }

  std::string_view rest_;
  const std::string& source_;
  std::size_t line_ = 0;
};

// The network that a line of a labelled file names ("prune race", "contact contact250").
std::optional<std::size_t> labelled_network(const std::vector<std::string_view>& words) {
  if (words.empty() || words.size() > 2) return std::nullopt;
  const bool pruning = words[0] == "prune";
  if (pruning && words.size() != 2) return std::nullopt;
  const std::string name = (pruning ? "pruning " : "") + std::string(words[pruning ? 1 : 0]);
  for (std::size_t i = 0; i < kNetworks; ++i)
    if (name == kNetworkShapes[i].name) return i;
  return std::nullopt;
}

bool is_number(std::string_view field, double expected) {
  const std::optional<double> number = parsed<double>(field);
  return number && std::fabs(*number - expected) < 1e-6;
}

void check_shape(const LineReader& reader, std::string_view line, const NetworkShape& shape) {
  const std::vector<std::string_view> header = fields(line);
  const bool right = header.size() == 6 && is_number(header[0], shape.inputs) && is_number(header[1], shape.hidden) &&
                     is_number(header[2], kOutputs) && parsed<long>(header[3]) &&
                     is_number(header[4], static_cast<double>(kHiddenBeta)) &&
                     is_number(header[5], static_cast<double>(kOutputBeta));
  if (right) return;
  throw reader.error(line, "the shape of the " + std::string(shape.name) + " network: " +
                               std::to_string(shape.inputs) + " " + std::to_string(shape.hidden) + " " +
                               std::to_string(kOutputs) + " 0 0.1 1.0");
}

void read_numbers(LineReader& reader, const std::string& what, std::vector<float>& numbers) {
  for (float& number : numbers) {
    const std::string_view line = reader.next(what);
    const std::optional<float> value = parsed<float>(line);
    if (!value || !(std::fabs(*value) <= kLargestWeight))
      throw reader.error(line, what + ", a finite number of at most a million");
    number = *value;
  }
}

}  // namespace

WeightFile parse_text_weights(std::string_view content, const std::string& source) {
  LineReader reader(content, source);
  const std::string_view title = reader.next("'GNU Backgammon' and a version");
  WeightFile file;
  file.version = title.substr(std::min(kTextMagic.size(), title.size()));
  if (file.version != "1.00" && file.version != "1.01")
    throw reader.error(title, "the version 1.00 or 1.01 after 'GNU Backgammon'");

  std::array<bool, kNetworks> seen{};
  for (std::size_t n = 0; n < kNetworks; ++n) {
    std::string_view line = reader.next(std::string("the shape of the ") + kNetworkShapes[n].name + " network");
    std::size_t network = n;
    if (const std::optional<std::size_t> label = labelled_network(fields(line))) {
      network = *label;
      line = reader.next(std::string("the shape of the ") + kNetworkShapes[network].name + " network");
    }
    const NetworkShape& shape = kNetworkShapes[network];
    if (seen[network]) throw reader.error(line, "each network once, but this is another " + std::string(shape.name));
    seen[network] = true;
    check_shape(reader, line, shape);
    allocate(shape, file.networks[network]);
    for_each_part(file.networks[network], [&](const char* what, std::vector<float>& numbers) {
      read_numbers(reader, std::string("a ") + what + " of the " + shape.name + " network", numbers);
    });
  }
  while (!reader.at_end())
    if (const std::string_view line = reader.next(""); !line.empty()) throw reader.error(line, "the end of the file");
  return file;
}

}  // namespace botd::gnubg
