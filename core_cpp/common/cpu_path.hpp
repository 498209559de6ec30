// Which of the equivalent kernels to run.
#pragma once

#include <string_view>
#include <vector>

namespace botd {

enum class CpuPath { plain, avx2, avx512 };

// The paths that this binary has and this processor can run, slowest first; `plain` is always there.
[[nodiscard]] std::vector<CpuPath> available_cpu_paths();

// The last of available_cpu_paths().
[[nodiscard]] CpuPath best_cpu_path();

// "plain", "avx2", "avx512".
[[nodiscard]] const char* name(CpuPath path);

// The inverse of name(). Throws std::invalid_argument for any other text.
[[nodiscard]] CpuPath cpu_path_from_name(std::string_view text);

}  // namespace botd
