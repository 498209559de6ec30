#ifdef BOTD_X86
#include "nets/dense_vectors512.hpp"

namespace botd::nets {
namespace {

struct VectorsVnni : Vectors512 {
  static Int add_pairs(Int sums, Int a, Int b) { return _mm512_dpwssd_epi32(sums, a, b); }
};

}  // namespace

constexpr DenseKernels kDenseVnni = kernels512<VectorsVnni>("avx512vnni");

}  // namespace botd::nets
#endif
