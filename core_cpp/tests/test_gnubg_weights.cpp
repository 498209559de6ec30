#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "gnubg/weight_formats.hpp"
#include "gnubg_weight_content.hpp"

using namespace botd;
using namespace botd::gnubg;
using botd::testing::binary_weights;
using botd::testing::text_weights;

namespace {

constexpr int kMutations = 300;

// Parses or throws a DataError; under the sanitizers nothing else may be noticed.
template <typename Parse>
void survive(Parse parse, const std::string& content) {
  try {
    const WeightFile file = parse(content, std::string("file"));
    for (std::size_t i = 0; i < kNetworks; ++i)
      REQUIRE(file.networks[i].hidden.size() ==
              static_cast<std::size_t>(kNetworkShapes[i].inputs * kNetworkShapes[i].hidden));
  } catch (const DataError& error) {
    REQUIRE(std::string_view(error.what()).starts_with("file: "));
    REQUIRE(std::string_view(error.what()).find("expected") != std::string_view::npos);
  }
}

std::string mutated(std::string content, std::mt19937& random) {
  if (random() % 2 == 0) content.resize(random() % (content.size() + 1));
  if (random() % 4 == 0) content += content.substr(content.size() / 2);
  if (content.empty()) return content;
  for (unsigned n = random() % 2 == 0 ? 1 : random() % 300; n > 0; --n) {
    // Half of the damage goes to the first bytes, where the headers are.
    const std::size_t range = random() % 2 == 0 ? std::min<std::size_t>(content.size(), 100) : content.size();
    content[random() % range] = static_cast<char>(random());
  }
  return content;
}

}  // namespace

TEST_CASE("weights of both forms") {
  std::mt19937 random(1);
  const std::string text = text_weights(random);
  const WeightFile from_text = parse_text_weights(text, "file");
  CHECK(from_text.version == "1.01");
  const std::string binary = binary_weights(random);
  const WeightFile from_binary = parse_binary_weights(binary, "file");
  CHECK(from_binary.version == "1.00");
  for (const WeightFile* file : {&from_text, &from_binary})
    for (std::size_t i = 0; i < kNetworks; ++i) {
      CHECK(file->networks[i].hidden_threshold.size() == static_cast<std::size_t>(kNetworkShapes[i].hidden));
      CHECK(file->networks[i].output_threshold.size() == kOutputs);
    }
  float last = 0.0F;
  std::memcpy(&last, binary.data() + binary.size() - sizeof last, sizeof last);
  CHECK(from_binary.networks[kPruningRaceNetwork].output_threshold.back() == last);
}

TEST_CASE("damaged weight files never do more than throw a DataError") {
  std::mt19937 random(2);
  const std::string text = text_weights(random);
  const std::string binary = binary_weights(random);
  for (int n = 0; n < kMutations; ++n) {
    survive([](const auto& c, const auto& s) { return parse_text_weights(c, s); }, mutated(text, random));
    survive([](const auto& c, const auto& s) { return parse_binary_weights(c, s); }, mutated(binary, random));
    std::string noise(random() % 5000, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    survive([](const auto& c, const auto& s) { return parse_text_weights(c, s); }, noise);
    survive([](const auto& c, const auto& s) { return parse_binary_weights(c, s); }, noise);
  }
}

TEST_CASE("files that cannot be read") {
  CHECK_THROWS_WITH_AS((void)read_weights("/no/such/file"), doctest::Contains("no such file, expected a weight file"),
                       DataError);
  CHECK_THROWS_WITH_AS((void)read_weights("/"), doctest::Contains("not a regular file"), DataError);
  CHECK_THROWS_WITH_AS((void)read_weights("/dev/zero"), doctest::Contains("not a regular file"), DataError);
}
