#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "common/sha256.hpp"

using namespace botd;

namespace {

std::string hex_digest(std::string_view text) {
  const Sha256Digest digest = sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  std::string hex;
  for (const unsigned byte : digest) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    hex += digits;
  }
  return hex;
}

}  // namespace

TEST_CASE("examples of the SHA-256 standard") {
  CHECK(hex_digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex_digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex_digest(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
