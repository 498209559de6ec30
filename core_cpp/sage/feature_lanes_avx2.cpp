#ifdef BOTD_X86
#include <immintrin.h>

#include "sage/feature_lanes.hpp"

namespace botd::sage {
namespace {

constexpr int kLanes = 8;
using Words = unsigned __attribute__((vector_size(32)));
using Ints = int __attribute__((vector_size(32)));
using Floats = float __attribute__((vector_size(32)));

inline bool any(Words v) {
  const __m256i w = reinterpret_cast<__m256i>(v);
  return _mm256_testz_si256(w, w) == 0;
}

inline Ints gather_ints(const std::int32_t* table, Ints index) {
  return reinterpret_cast<Ints>(_mm256_i32gather_epi32(table, reinterpret_cast<__m256i>(index), 4));
}

// Reads the aligned word that holds the byte: never beyond a table whose size is a multiple of four.
inline Ints gather_bytes(const std::uint8_t* table, Ints index) {
  const __m256i at = reinterpret_cast<__m256i>(index);
  const __m256i words =
      _mm256_i32gather_epi32(reinterpret_cast<const std::int32_t*>(table), _mm256_srli_epi32(at, 2), 4);
  const __m256i shift = _mm256_slli_epi32(_mm256_and_si256(at, _mm256_set1_epi32(3)), 3);
  return reinterpret_cast<Ints>(_mm256_and_si256(_mm256_srlv_epi32(words, shift), _mm256_set1_epi32(0xFF)));
}

#include "sage/feature_lanes_body.hpp"

}  // namespace

void contact_inputs_avx2(const Board* boards, int count, const FeatureTables& tables, float* inputs) {
  contact_inputs(boards, count, tables, inputs);
}

}  // namespace botd::sage
#endif
