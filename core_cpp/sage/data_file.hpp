// Data files of a known size, read whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace botd::sage {

// All bytes of a regular file of exactly `size` bytes; nothing is read of one with another size.
// Throws DataError naming the path and what was expected.
[[nodiscard]] std::vector<std::byte> read_data_file(const std::filesystem::path& path, std::size_t size);

}  // namespace botd::sage
