#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "gnubg/weight_formats.hpp"

namespace botd::gnubg {
namespace {

static_assert(std::endian::native == std::endian::little, "weight files are read as little-endian numbers");

constexpr std::size_t kItemBytes = 4;

constexpr std::size_t binary_size() {
  std::size_t items = 2;
  for (const NetworkShape& shape : kNetworkShapes) {
    const auto hidden = static_cast<std::size_t>(shape.hidden);
    items += 6 + hidden * (static_cast<std::size_t>(shape.inputs) + 1) + kOutputs * (hidden + 1);
  }
  return items * kItemBytes;
}
static_assert(binary_size() == 408016);

class BinaryReader {
 public:
  BinaryReader(std::string_view content, const std::string& source) : content_(content), source_(source) {}

  // The content must hold another item.
  template <typename Item>
  Item next() {
    static_assert(sizeof(Item) == kItemBytes);
    Item item{};
    std::memcpy(&item, content_.data() + offset_, kItemBytes);
    offset_ += kItemBytes;
    return item;
  }

  template <typename Item>
  void expect(const std::string& what, Item expected) {
    const Item found = next<Item>();
    if (found != expected) throw error(what, std::to_string(found), std::to_string(expected));
  }

  // About the item just read.
  [[nodiscard]] DataError error(const std::string& what, const std::string& found,
                                const std::string& expected) const {
    return DataError(source_ + ": offset " + std::to_string(offset_ - kItemBytes) + ": " + what + " is " + found +
                     ", expected " + expected);
  }

 private:
  std::string_view content_;
  const std::string& source_;
  std::size_t offset_ = 0;
};

void read_numbers(BinaryReader& reader, const std::string& what, std::vector<float>& numbers) {
  for (float& number : numbers) {
    number = reader.next<float>();
    if (!(std::fabs(number) <= kLargestWeight))
      throw reader.error(what, std::to_string(number), "a finite number of at most a million");
  }
}

}  // namespace

WeightFile parse_binary_weights(std::string_view content, const std::string& source) {
  if (content.size() < kItemBytes || std::memcmp(content.data(), &kBinaryMagic, kItemBytes) != 0)
    throw DataError(source + ": offset 0: neither the text '" + std::string(kTextMagic) +
                    "' nor the number 472.3782, expected a weight file of gnubg to begin with one of them");
  if (content.size() != binary_size())
    throw DataError(source + ": " + std::to_string(content.size()) + " bytes, expected a file of " +
                    std::to_string(binary_size()) + " bytes");
  BinaryReader reader(content, source);
  (void)reader.next<float>();
  WeightFile file;
  const auto version = reader.next<float>();
  if (version == 1.00F)
    file.version = "1.00";
  else if (version == 1.01F)
    file.version = "1.01";
  else
    throw reader.error("the version", std::to_string(version), "1.00 or 1.01");
  for (std::size_t i = 0; i < kNetworks; ++i) {
    const NetworkShape& shape = kNetworkShapes[i];
    const std::string network = std::string(" of the ") + shape.name + " network";
    reader.expect("the number of inputs" + network, static_cast<std::uint32_t>(shape.inputs));
    reader.expect("the number of hidden units" + network, static_cast<std::uint32_t>(shape.hidden));
    reader.expect("the number of outputs" + network, static_cast<std::uint32_t>(kOutputs));
    (void)reader.next<std::int32_t>();  // how often it was trained
    reader.expect("the hidden beta" + network, kHiddenBeta);
    reader.expect("the output beta" + network, kOutputBeta);
    allocate(shape, file.networks[i]);
    for_each_part(file.networks[i], [&](const char* what, std::vector<float>& numbers) {
      read_numbers(reader, what + network, numbers);
    });
  }
  return file;
}

}  // namespace botd::gnubg
