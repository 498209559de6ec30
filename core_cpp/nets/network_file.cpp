#include "nets/network_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "common/sha256.hpp"
#include "common/whole_file.hpp"
#include "nets/header_json.hpp"
#include "rules/errors.hpp"

namespace botd::nets {
namespace {

static_assert(std::endian::native == std::endian::little, "network files are read as little-endian numbers");

constexpr std::string_view kMagic = "botdnet1";
constexpr std::size_t kHeaderStart = kMagic.size() + sizeof(std::uint32_t);
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLargestHeader = std::size_t{1} << 16;
constexpr std::size_t kMostUnits = 65536;
constexpr std::size_t kMostLayers = 64;
constexpr std::size_t kLongestEncoding = 64;

struct KindFacts {
  NetworkKind kind;
  const char* name;
  std::size_t outputs;
  bool logistic;
};
constexpr std::array<KindFacts, 5> kKinds = {{{NetworkKind::kCubefulEquity, "cubeful_equity", 1, false},
                                              {NetworkKind::kCubelessEquity, "cubeless_equity", 1, false},
                                              {NetworkKind::kProbabilities5, "probabilities5", 5, true},
                                              {NetworkKind::kWin, "win", 1, true},
                                              {NetworkKind::kRoughEquity, "rough_equity", 1, false}}};
// One row for each kind, in their order.
const KindFacts& facts(NetworkKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string shown(std::string_view text) { return std::string("'").append(text.substr(0, 40)).append("'"); }

// The fields of a header, each taken once; what is left over is an error.
class Header {
 public:
  Header(HeaderFields fields, const std::string& source) : fields_(std::move(fields)), source_(source) {}

  [[noreturn]] void fail(const std::string& what, const std::string& expected) const {
    throw DataError(source_ + ": header: " + what + ", expected " + expected);
  }

  template <typename Value>
  Value take(const std::string& key, const char* expected) {
    const auto found = fields_.find(key);
    if (found == fields_.end()) fail("no " + key, expected);
    Value* const value = std::get_if<Value>(&found->second);
    if (value == nullptr) fail(key + " is something else", expected);
    Value taken = std::move(*value);
    fields_.erase(found);
    return taken;
  }

  void expect(const std::string& key, std::string_view expected) {
    const auto found = take<std::string>(key, ("the text " + shown(expected)).c_str());
    if (found != expected) fail(key + " is " + shown(found), shown(expected));
  }

  void expect_no_more() const {
    if (!fields_.empty()) fail("the key " + shown(fields_.begin()->first) + " is unknown", "no others than the format's");
  }

 private:
  HeaderFields fields_;
  const std::string& source_;
};

bool is_encoding_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestEncoding && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

NetworkKind take_kind(Header& header) {
  const auto found = header.take<std::string>("kind", "the name of a kind of network");
  std::string names;
  for (const KindFacts& one : kKinds) {
    if (found == one.name) return one.kind;
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  header.fail("kind is " + shown(found), "one of " + names);
}

// The layers with their sizes but without numbers.
std::vector<DenseLayer> take_shape(Header& header, NetworkKind kind) {
  std::size_t inputs = header.take<std::uint32_t>("inputs", "the number of inputs");
  const auto outputs = header.take<std::vector<std::uint32_t>>("layers", "the number of outputs of each layer");
  if (inputs < 1 || inputs > kMostUnits)
    header.fail("inputs is " + std::to_string(inputs), "1 to " + std::to_string(kMostUnits));
  if (outputs.empty() || outputs.size() > kMostLayers)
    header.fail(std::to_string(outputs.size()) + " layers", "1 to " + std::to_string(kMostLayers));
  std::vector<DenseLayer> layers;
  for (const std::uint32_t count : outputs) {
    if (count < 1 || count > kMostUnits)
      header.fail("a layer of " + std::to_string(count) + " outputs", "1 to " + std::to_string(kMostUnits));
    layers.push_back({inputs, count, {}, {}});
    inputs = count;
  }
  if (inputs != outputs_of(kind))
    header.fail("the last layer has " + std::to_string(inputs) + " outputs",
                std::to_string(outputs_of(kind)) + " of kind " + name(kind));
  return layers;
}

NetworkFile parse_fields(std::string_view text, const std::string& source) {
  Header header(parse_header(text, source, kHeaderStart), source);
  NetworkFile file;
  file.kind = take_kind(header);
  file.encoding = header.take<std::string>("encoding", "the name of the inputs");
  if (!is_encoding_name(file.encoding))
    header.fail("encoding is " + shown(file.encoding), "up to 64 lower-case letters, digits and underscores");
  file.layers = take_shape(header, file.kind);
  header.expect("hidden_activation", "relu");
  header.expect("output_activation", has_logistic_output(file.kind) ? "logistic" : "linear");
  file.source = header.take<std::string>("source", "a text");
  file.licence = header.take<std::string>("licence", "a text");
  header.expect_no_more();
  return file;
}

// The size in bytes that the file must have.
std::size_t file_size(const std::vector<DenseLayer>& layers, std::size_t payload_start, const std::string& source) {
  std::size_t size = payload_start + sizeof(Sha256Digest);
  for (const DenseLayer& layer : layers) {
    size += sizeof(float) * layer.outputs * (layer.inputs + 1);
    if (size > kLargestNetworkFile)
      throw DataError(source + ": header: the layers would take more than " + std::to_string(kLargestNetworkFile) +
                      " bytes, expected a smaller network");
  }
  return size;
}

void read_numbers(std::string_view content, std::size_t& offset, const std::string& source, std::size_t count,
                  std::vector<float>& numbers) {
  numbers.resize(count);
  std::memcpy(numbers.data(), content.data() + offset, count * sizeof(float));
  const auto bad = std::find_if(numbers.begin(), numbers.end(), [](float x) { return !(std::fabs(x) <= kLargestWeight); });
  if (bad != numbers.end()) {
    const std::size_t where = offset + sizeof(float) * static_cast<std::size_t>(bad - numbers.begin());
    throw DataError(source + ": offset " + std::to_string(where) + ": a weight is " + std::to_string(*bad) +
                    ", expected a finite number of at most a million");
  }
  offset += count * sizeof(float);
}

}  // namespace

const char* name(NetworkKind kind) { return facts(kind).name; }
std::size_t outputs_of(NetworkKind kind) { return facts(kind).outputs; }
bool has_logistic_output(NetworkKind kind) { return facts(kind).logistic; }

NetworkFile parse_network(std::string_view content, const std::string& name) {
  if (!content.starts_with(kMagic))
    throw DataError(name + ": offset 0: expected '" + std::string(kMagic) + "', with which a network file of botd begins");
  if (content.size() > kLargestNetworkFile)
    throw DataError(name + ": " + std::to_string(content.size()) + " bytes, expected at most " +
                    std::to_string(kLargestNetworkFile));
  if (content.size() < kHeaderStart)
    throw DataError(name + ": " + std::to_string(content.size()) + " bytes, expected the length of the header");
  std::uint32_t length = 0;
  std::memcpy(&length, content.data() + kMagic.size(), sizeof length);
  if (length > kLargestHeader || (kHeaderStart + length) % kAlignment != 0)
    throw DataError(name + ": offset " + std::to_string(kMagic.size()) + ": the length of the header is " +
                    std::to_string(length) + ", expected at most " + std::to_string(kLargestHeader) +
                    " and, with the 12 bytes before it, a multiple of 64");
  if (length > content.size() - kHeaderStart)
    throw DataError(name + ": " + std::to_string(content.size()) + " bytes, expected a header of " +
                    std::to_string(length));
  NetworkFile file = parse_fields(content.substr(kHeaderStart, length), name);
  std::size_t offset = kHeaderStart + length;
  const std::size_t size = file_size(file.layers, offset, name);
  if (content.size() != size)
    throw DataError(name + ": " + std::to_string(content.size()) + " bytes, expected " + std::to_string(size) +
                    " for the layers of its header");
  const std::size_t summed = size - sizeof(Sha256Digest);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(content.data());
  if (std::memcmp(sha256({bytes, summed}).data(), bytes + summed, sizeof(Sha256Digest)) != 0)
    throw DataError(name + ": offset " + std::to_string(summed) +
                    ": the SHA-256 is not that of the file, expected an undamaged file");
  for (DenseLayer& layer : file.layers) {
    read_numbers(content, offset, name, layer.outputs * layer.inputs, layer.weights);
    read_numbers(content, offset, name, layer.outputs, layer.biases);
  }
  return file;
}

NetworkFile read_network(const std::filesystem::path& path) {
  return parse_network(read_whole_file(path, kLargestNetworkFile, "a network file of botd"), path.string());
}

}  // namespace botd::nets
