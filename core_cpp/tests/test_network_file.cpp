#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "nets/network_file.hpp"
#include "network_content.hpp"
#include "rules/errors.hpp"

using namespace botd;
using namespace botd::nets;
using botd::testing::network_content;
using botd::testing::network_header;
using botd::testing::network_start;
using botd::testing::with_sum;

namespace {

constexpr int kMutations = 3000;
constexpr std::size_t kSumBytes = 32;

std::string small_network(std::mt19937& random) {
  return network_content(random, "probabilities5", "perspective196", 7, {6, 5}, "logistic");
}

// Parses or throws a DataError with one line; under the sanitizers nothing else may be noticed.
bool survive(const std::string& content) {
  try {
    const NetworkFile file = parse_network(content, "file");
    for (const DenseLayer& layer : file.layers) {
      REQUIRE(layer.weights.size() == layer.inputs * layer.outputs);
      REQUIRE(layer.biases.size() == layer.outputs);
    }
    return true;
  } catch (const DataError& error) {
    const std::string_view what = error.what();
    REQUIRE(what.starts_with("file: "));
    REQUIRE(what.find("expected") != std::string_view::npos);
    return false;
  }
}

std::string without_sum(const std::string& content) { return content.substr(0, content.size() - kSumBytes); }

// A file of one layer with one output and this header.
void check_header(const std::string& header, const char* error) {
  CAPTURE(header);
  const std::string content = with_sum(network_start(header) + std::string(8, '\0'));
  CHECK_THROWS_WITH_AS((void)parse_network(content, "file"), doctest::Contains(error), DataError);
}

}  // namespace

TEST_CASE("a network of every kind") {
  std::mt19937 random(1);
  for (const auto& [kind, activation, outputs] :
       {std::tuple{"cubeful_equity", "linear", 1U}, {"cubeless_equity", "linear", 1U}, {"probabilities5", "logistic", 5U},
        {"win", "logistic", 1U}, {"rough_equity", "linear", 1U}}) {
    const std::string content = network_content(random, kind, "some_inputs2", 7, {6, 4, outputs}, activation);
    const NetworkFile file = parse_network(content, "file");
    CHECK(std::string_view(name(file.kind)) == kind);
    CHECK(file.encoding == "some_inputs2");
    CHECK(file.inputs() == 7);
    CHECK(file.source == "a \"test\" \xC3\xA9");
    CHECK(file.licence == "MIT");
    REQUIRE(file.layers.size() == 3);
    CHECK(file.layers[1].inputs == 6);
    CHECK(file.layers[1].outputs == 4);
    float last = 0.0F;
    std::memcpy(&last, content.data() + content.size() - kSumBytes - sizeof last, sizeof last);
    CHECK(file.layers[2].biases.back() == last);
  }
}

TEST_CASE("a file cut anywhere, with and without a fitting sum") {
  std::mt19937 random(2);
  const std::string content = small_network(random);
  for (std::size_t size = 0; size < content.size(); ++size) {
    CHECK_FALSE(survive(content.substr(0, size)));
    if (size != content.size() - kSumBytes) CHECK_FALSE(survive(with_sum(content.substr(0, size))));
  }
  CHECK_FALSE(survive(content + '\0'));
  CHECK(survive(content));
}

TEST_CASE("no flipped bit goes unnoticed") {
  std::mt19937 random(3);
  std::string content = small_network(random);
  for (std::size_t i = 0; i < content.size(); ++i) {
    const auto bit = static_cast<char>(1U << (i % 8));
    content[i] = static_cast<char>(content[i] ^ bit);
    CHECK_FALSE(survive(content));
    survive(with_sum(without_sum(content)));
    content[i] = static_cast<char>(content[i] ^ bit);
  }
}

TEST_CASE("damage with a fitting sum never does more than throw a DataError") {
  std::mt19937 random(4);
  const std::string content = without_sum(small_network(random));
  for (int n = 0; n < kMutations; ++n) {
    std::string damaged = content;
    if (random() % 4 == 0) damaged.resize(random() % damaged.size());
    for (unsigned k = random() % 4; k > 0 && !damaged.empty(); --k) damaged[random() % damaged.size()] = static_cast<char>(random());
    // Half of the damage to the header, in characters that mean something there.
    if (damaged.size() > 200 && random() % 2 == 0) damaged[12 + random() % 188] = "{}[]\",:\\u0919e-+. "[random() % 18];
    survive(with_sum(damaged));
  }
}

TEST_CASE("weights that are no reasonable numbers") {
  std::mt19937 random(5);
  const std::string content = without_sum(small_network(random));
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(), 1.1e6F, -1.1e6F}) {
    for (const std::size_t from_end : {std::size_t{4}, std::size_t{80}, sizeof(float) * (7 * 6 + 6 + 6 * 5 + 5)}) {
      std::string damaged = content;
      std::memcpy(damaged.data() + damaged.size() - from_end, &bad, sizeof bad);
      const std::string place = "file: offset " + std::to_string(damaged.size() - from_end) + ": a weight is ";
      CHECK_THROWS_WITH_AS((void)parse_network(with_sum(damaged), "file"), doctest::Contains(place.c_str()), DataError);
    }
  }
}

TEST_CASE("headers that mean nothing") {
  const auto header = [](const std::string& kind, std::size_t inputs, const std::vector<std::size_t>& layers,
                         const std::string& activation) { return network_header(kind, "e", inputs, layers, activation); };
  CHECK(survive(with_sum(network_start(header("win", 1, {1}, "logistic")) + std::string(8, '\0'))));
  check_header("", "a JSON object");
  check_header("[1]", "a JSON object");
  check_header("{}", "header: no kind");
  check_header("{} x", "only spaces behind the object");
  check_header(R"({"kind": 7})", "kind is something else");
  check_header(R"({"kind": "a", "kind": "b"})", "no key twice");
  check_header(R"({"kind": "\ud800"})", "a pair of surrogates");
  check_header(R"({"kind": "\x"})", "an escape of JSON");
  check_header("{\"kind\": \"\xC0\x80\"}", "UTF-8");
  check_header("{\"kind\": \"\xED\xA0\x80\"}", "UTF-8");
  check_header("{\"kind\": \"a\nb\"}", "control character");
  check_header(R"({"inputs": 01})", "without leading zeros");
  check_header(R"({"inputs": 12345678901234567890})", "at most nine digits");
  check_header(R"({"inputs": -1})", "a whole number");
  check_header(R"({"inputs": {"a": 1}})", "a whole number");
  check_header(R"({"layers": [[1]]})", "a whole number");
  check_header(header("luck", 1, {1}, "linear"), "kind is 'luck', expected one of cubeful_equity, ");
  check_header(network_header("win", "Bad Name", 1, {1}, "logistic"), "encoding is 'Bad Name'");
  check_header(network_header("win", "", 1, {1}, "logistic"), "encoding is ''");
  check_header(header("win", 0, {1}, "logistic"), "inputs is 0");
  check_header(header("win", 999999999, {1}, "logistic"), "inputs is 999999999");
  check_header(header("win", 1, {}, "logistic"), "0 layers");
  check_header(header("win", 1, std::vector<std::size_t>(100, 1), "logistic"), "100 layers");
  check_header(header("win", 1, std::vector<std::size_t>(300, 1), "logistic"), "at most 256 numbers");
  check_header(header("win", 1, {0, 1}, "logistic"), "a layer of 0 outputs");
  check_header(header("win", 1, {5}, "logistic"), "the last layer has 5 outputs, expected 1 of kind win");
  check_header(header("win", 1, {1}, "linear"), "output_activation is 'linear', expected 'logistic'");
  check_header(header("win", 65536, {65536, 65536, 1}, "logistic"), "more than 67108864 bytes");
  check_header(header("win", 1, {2, 1}, "logistic"), "bytes, expected ");
  std::string other = header("win", 1, {1}, "logistic");
  other.replace(other.find("relu"), 4, "tanh");
  check_header(other, "hidden_activation is 'tanh'");
  std::string more = header("win", 1, {1}, "logistic");
  more.insert(1, R"("colour": "red", )");
  check_header(more, "the key 'colour' is unknown");
}

TEST_CASE("network files that cannot be read") {
  CHECK_THROWS_WITH_AS((void)read_network("/no/such/file"), doctest::Contains("no such file, expected a network file"),
                       DataError);
  CHECK_THROWS_WITH_AS((void)read_network("/"), doctest::Contains("not a regular file"), DataError);
  CHECK_THROWS_WITH_AS((void)read_network("/dev/zero"), doctest::Contains("not a regular file"), DataError);
}
