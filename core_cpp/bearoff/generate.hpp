// Makes bear-off databases, bit for bit those that GNU Backgammon distributes or would make.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "bearoff/header.hpp"
#include "bearoff/mapped_file.hpp"
#include "bearoff/work.hpp"

namespace botd::bearoff {

// Most memory that a generator takes for its tables; a larger database is refused.
inline constexpr std::uint64_t kMemoryLimit = std::uint64_t{4} << 30;
inline constexpr int kMaxThreads = 256;

// Bytes of memory that making the database takes, about.
[[nodiscard]] std::uint64_t memory_needed(const OneSidedShape& shape);
[[nodiscard]] std::uint64_t memory_needed(const TwoSidedShape& shape);

// Write the database to `path`, which changes only when the new file is complete. For each roll a side makes
// the play that leaves the fewest rolls on average (one-sided) or the highest equity (two-sided).
//
// Throws std::invalid_argument for a size that is out of range, needs more than kMemoryLimit or has no
// generator (normal distributions); Cancelled; std::bad_alloc; std::filesystem::filesystem_error if the file
// cannot be written.
void generate(const OneSidedShape& shape, const std::filesystem::path& path, const WorkOptions& options = {});
void generate(const TwoSidedShape& shape, const std::filesystem::path& path, const WorkOptions& options = {});

// Computes the database that the file's header names anew: the offset of the first byte that is not the same,
// nothing if all are. Throws as generate() does, and DataError for a file without such a header.
[[nodiscard]] std::optional<std::uint64_t> first_difference(const MappedFile& file,
                                                            const WorkOptions& options = {});

}  // namespace botd::bearoff
