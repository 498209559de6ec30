#include "common/cpu_path.hpp"

#include <stdexcept>
#include <string>

namespace botd {

std::vector<CpuPath> available_cpu_paths() {
  std::vector<CpuPath> paths{CpuPath::plain};
#ifdef BOTD_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) paths.push_back(CpuPath::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    paths.push_back(CpuPath::avx512);
#endif
  return paths;
}

CpuPath best_cpu_path() { return available_cpu_paths().back(); }

const char* name(CpuPath path) {
  switch (path) {
    case CpuPath::plain:
      return "plain";
    case CpuPath::avx2:
      return "avx2";
    case CpuPath::avx512:
      return "avx512";
  }
  return "plain";
}

CpuPath cpu_path_from_name(std::string_view text) {
  for (const CpuPath path : {CpuPath::plain, CpuPath::avx2, CpuPath::avx512})
    if (text == name(path)) return path;
  throw std::invalid_argument("unknown CPU path '" + std::string(text) +
                              "', expected plain, avx2 or avx512");
}

}  // namespace botd
