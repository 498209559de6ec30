// The JSON object at the beginning of a network file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace botd::nets {

using HeaderValue = std::variant<std::string, std::uint32_t, std::vector<std::uint32_t>>;
using HeaderFields = std::map<std::string, HeaderValue>;

// An object whose values are strings, whole numbers below 10^9 and lists of such numbers; no key twice. Throws
// DataError, naming `source` and the place (`first_offset` is that of the text in the file), for anything else.
[[nodiscard]] HeaderFields parse_header(std::string_view text, const std::string& source, std::size_t first_offset);

}  // namespace botd::nets
