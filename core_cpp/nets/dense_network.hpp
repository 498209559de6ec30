// A dense network ready to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/aligned_vector.hpp"
#include "nets/dense_kernels.hpp"
#include "nets/network_file.hpp"

namespace botd::nets {

// Inputs are whole multiples of 1/kInputSteps.
inline constexpr int kInputSteps = 30;

enum class Arithmetic : std::uint8_t {
  kFloat,  // single precision
  kInt16,  // products of 16-bit numbers, scaled for each board; the same bits on every processor
};

// Immutable after construction; threads share one network, each with its own Scratch. An output depends on the board's own
// inputs alone, bit for bit, whatever else is in the batch.
class DenseNetwork {
 public:
  class Scratch {
   public:
    Scratch();
    ~Scratch();
    Scratch(Scratch&&) noexcept;
    Scratch& operator=(Scratch&&) noexcept;

   private:
    friend class DenseNetwork;
    struct Buffers;
    std::unique_ptr<Buffers> buffers_;
  };

  DenseNetwork(const NetworkFile& file, Arithmetic arithmetic, const DenseKernels& kernels);

  [[nodiscard]] const DenseKernels& kernels() const { return kernels_; }
  [[nodiscard]] Arithmetic arithmetic() const { return arithmetic_; }
  // Distance in inputs between boards: their number, rounded up; the rest is to be zero.
  [[nodiscard]] std::size_t input_stride() const { return input_stride_; }
  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  // Bytes of its weights.
  [[nodiscard]] std::size_t memory() const { return memory_; }

  // outputs[b * outputs() + k] of boards whose inputs are at inputs[b * input_stride() + i], in units of 1/kInputSteps and
  // of at most 1,000 units. `inputs` begins at a multiple of 64 bytes.
  void evaluate(std::span<const std::int16_t> inputs, std::span<float> outputs, Scratch& scratch) const;

 private:
  struct HiddenLayer {
    std::size_t columns = 0;  // of its weights: inputs, rounded up, or pairs of them
    std::size_t stride = 0;
    AlignedVector<float> weights;       // kFloat
    AlignedVector<std::int16_t> pairs;  // kInt16
    AlignedVector<float> scales;        // kInt16
    AlignedVector<float> biases;
  };

  void pass(const std::int16_t* inputs, std::size_t boards, float* outputs, Scratch::Buffers& buffers) const;
  void float_layer(const HiddenLayer& layer, std::size_t boards, Scratch::Buffers& buffers) const;
  void pair_layer(const HiddenLayer& layer, std::size_t boards, Scratch::Buffers& buffers) const;

  const DenseKernels& kernels_;
  Arithmetic arithmetic_;
  bool logistic_;
  std::size_t input_stride_ = 0;
  std::size_t widest_ = 0;  // padded units of the widest layer, inputs included
  std::size_t outputs_ = 0;
  std::size_t last_inputs_ = 0;
  std::size_t memory_ = 0;
  std::vector<HiddenLayer> hidden_;
  AlignedVector<float> output_weights_;  // outputs_ x last_inputs_
  std::vector<float> output_biases_;
};

}  // namespace botd::nets
