#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "common/md5.hpp"

using namespace botd;

namespace {

std::string hex_digest(std::string_view text) {
  const Md5Digest digest = md5({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  std::string hex;
  for (const unsigned byte : digest) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    hex += digits;
  }
  return hex;
}

}  // namespace

TEST_CASE("MD5 test suite of RFC 1321") {
  CHECK(hex_digest("") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(hex_digest("a") == "0cc175b9c0f1b6a831c399e269772661");
  CHECK(hex_digest("abc") == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(hex_digest("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
  CHECK(hex_digest("abcdefghijklmnopqrstuvwxyz") == "c3fcd3d76192e4007dfb496cca67e13b");
  CHECK(hex_digest("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") ==
        "d174ab98d277d9f5a5611c2c9f419d9f");
  CHECK(hex_digest("12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
        "57edf4a22be3c955ac49da2e2107b67a");
}
