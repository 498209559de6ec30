#include "nets/dense_kernels.hpp"

#include <algorithm>

namespace botd::nets {

std::vector<const DenseKernels*> available_dense_kernels() {
  std::vector<const DenseKernels*> kernels{&kDensePlain};
#ifdef BOTD_X86
  const std::vector<CpuPath> paths = available_cpu_paths();
  const auto has = [&](CpuPath path) { return std::find(paths.begin(), paths.end(), path) != paths.end(); };
  if (has(CpuPath::avx2)) kernels.push_back(&kDenseAvx2);
  if (has(CpuPath::avx512)) kernels.push_back(&kDenseAvx512);
  if (has(CpuPath::avx512) && __builtin_cpu_supports("avx512vnni")) kernels.push_back(&kDenseVnni);
#endif
  return kernels;
}

const DenseKernels& dense_kernels(CpuPath path) {
#ifdef BOTD_X86
  if (path == CpuPath::avx2) return kDenseAvx2;
  if (path == CpuPath::avx512) return __builtin_cpu_supports("avx512vnni") ? kDenseVnni : kDenseAvx512;
#endif
  (void)path;
  return kDensePlain;
}

}  // namespace botd::nets
