#include <cstring>

#include "nets/dense_loops.hpp"

namespace botd::nets {
namespace {

// Vectors of 128 bits as compilers offer them for every processor.
struct Plain {
  static constexpr std::size_t kWidth = 4;
  static constexpr std::size_t kVectors = 2;
  using Float = float __attribute__((vector_size(16)));
  using Int = std::int32_t __attribute__((vector_size(16)));

  static Float zero() { return Float{}; }
  static Int zero_int() { return Int{}; }
  static Float broadcast(float x) { return Float{x, x, x, x}; }
  // A pair of 16-bit numbers, the same in all lanes.
  static Int broadcast_int(std::int32_t pair) { return Int{pair, pair, pair, pair}; }
  static Float load(const float* from) { return loaded<Float>(from); }
  static Int load_int(const std::int16_t* from) { return loaded<Int>(from); }
  static void store(float* to, Float x) { std::memcpy(to, &x, sizeof x); }
  static Float add(Float a, Float b) { return a + b; }
  static Float multiply(Float a, Float b) { return a * b; }
  static Float multiply_add(Float a, Float b, Float c) { return a * b + c; }
  static Float positive(Float x) { return x > Float{} ? x : Float{}; }
  static Float to_float(Int x) { return __builtin_convertvector(x, Float); }
  static Int add_pairs(Int sums, Int a, Int b) { return sums + low(a) * low(b) + (a >> 16) * (b >> 16); }
  static void store_rounded(std::int16_t* to, Float x) {
    constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding and subtracting it rounds to whole numbers
    for (std::size_t i = 0; i < kWidth; ++i) to[i] = static_cast<std::int16_t>((x[i] + kRound) - kRound);
  }

 private:
  template <typename Vector, typename Value>
  static Vector loaded(const Value* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
  }
  static Int low(Int x) { return (x << 16) >> 16; }
};

}  // namespace

constexpr DenseKernels kDensePlain = loops::kernels<Plain>("plain");

}  // namespace botd::nets
