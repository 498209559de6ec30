#ifdef BOTD_X86
#include "nets/dense_vectors512.hpp"

namespace botd::nets {

constexpr DenseKernels kDenseAvx512 = kernels512<Vectors512>("avx512");

}  // namespace botd::nets
#endif
