#ifdef BOTD_X86
#include <immintrin.h>

#include "sage/feature_lanes.hpp"

namespace botd::sage {
namespace {

constexpr int kLanes = 16;
using Words = unsigned __attribute__((vector_size(64)));
using Ints = int __attribute__((vector_size(64)));
using Floats = float __attribute__((vector_size(64)));

inline bool any(Words v) {
  const __m512i w = reinterpret_cast<__m512i>(v);
  return _mm512_test_epi32_mask(w, w) != 0;
}

inline Ints gather_ints(const std::int32_t* table, Ints index) {
  return reinterpret_cast<Ints>(_mm512_i32gather_epi32(reinterpret_cast<__m512i>(index), table, 4));
}

// Reads the aligned word that holds the byte: never beyond a table whose size is a multiple of four.
inline Ints gather_bytes(const std::uint8_t* table, Ints index) {
  const __m512i at = reinterpret_cast<__m512i>(index);
  const __m512i words = _mm512_i32gather_epi32(_mm512_srli_epi32(at, 2), table, 4);
  const __m512i shift = _mm512_slli_epi32(_mm512_and_si512(at, _mm512_set1_epi32(3)), 3);
  return reinterpret_cast<Ints>(_mm512_and_si512(_mm512_srlv_epi32(words, shift), _mm512_set1_epi32(0xFF)));
}

#include "sage/feature_lanes_body.hpp"

}  // namespace

void contact_inputs_avx512(const Board* boards, int count, const FeatureTables& tables, float* inputs) {
  contact_inputs(boards, count, tables, inputs);
}

}  // namespace botd::sage
#endif
