// Reading a file into memory, with every way to fail in one line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace botd {

// The content of a regular file of at most `most_bytes`. Throws DataError "PATH: what is wrong, expected EXPECTED".
[[nodiscard]] std::string read_whole_file(const std::filesystem::path& path, std::uintmax_t most_bytes,
                                          const std::string& expected);

}  // namespace botd
