#include "nets/dense_network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "rules/errors.hpp"

namespace botd::nets {
namespace {

// Boards that pass through a layer together, while its weights are in the caches.
constexpr std::size_t kBatch = 64;
constexpr std::size_t kGroups = kBatch / kGroup;
// Kernels write whole vectors behind the last active column.
constexpr std::size_t kSlack = 16;
constexpr std::size_t kMostInputs = 1024;
constexpr double kLargestWeight16 = 32767.0;

constexpr std::size_t rounded_up(std::size_t count) { return (count + kTile - 1) / kTile * kTile; }

// One unit of the sums of one output: its weights as 16-bit numbers are as large as they may be.
double weight_steps(const float* weights, std::size_t count) {
  double squares = 0.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    squares += static_cast<double>(weights[i]) * weights[i];
    largest = std::max(largest, std::fabs(static_cast<double>(weights[i])));
  }
  if (largest == 0.0) return 1.0;
  return std::min(kWeightNorm / std::sqrt(squares), kLargestWeight16 / largest);
}

// The columns of all groups of a batch.
template <typename Value>
struct GroupColumns {
  std::vector<std::uint32_t> columns;
  std::vector<Value> values;
  std::vector<std::size_t> counts = std::vector<std::size_t>(kGroups);
  std::size_t room = 0;

  void make_room(std::size_t most_columns) {
    if (room >= most_columns + kSlack) return;
    room = most_columns + kSlack;
    columns.resize(kGroups * room);
    values.resize(kGroups * kGroup * room);
  }

  template <typename Find>
  void fill(const Value* in, std::size_t distance, std::size_t boards, std::size_t column_count, Find find) {
    for (std::size_t g = 0; g * kGroup < boards; ++g) {
      const Value* rows[kGroup] = {};
      Value* found[kGroup] = {};
      const std::size_t members = std::min(kGroup, boards - g * kGroup);
      for (std::size_t m = 0; m < members; ++m) {
        rows[m] = in + (g * kGroup + m) * distance;
        found[m] = values.data() + (g * kGroup + m) * room;
      }
      counts[g] = find(rows, members, column_count, columns.data() + g * room, found);
    }
  }

  [[nodiscard]] ActiveColumns<Value> group(std::size_t g) const {
    ActiveColumns<Value> active{counts[g], columns.data() + g * room, {}};
    for (std::size_t m = 0; m < kGroup; ++m) active.values[m] = values.data() + (g * kGroup + m) * room;
    return active;
  }
};

}  // namespace

struct DenseNetwork::Scratch::Buffers {
  std::size_t width = 0;
  AlignedVector<float> units;        // kBatch x width
  AlignedVector<std::int32_t> pairs;  // kBatch x width / kPair
  std::array<float, kBatch> scales{};
  GroupColumns<float> floats;
  GroupColumns<std::int32_t> ints;

  void make_room(std::size_t wanted, Arithmetic arithmetic) {
    if (width < wanted) {
      width = wanted;
      units.assign(kBatch * width, 0.0F);
      pairs.clear();
    }
    if (arithmetic == Arithmetic::kFloat) {
      floats.make_room(width);
    } else {
      pairs.resize(kBatch * width / kPair);
      ints.make_room(width / kPair);
    }
  }

  [[nodiscard]] float* row(std::size_t board) { return units.data() + board * width; }

  template <typename Multiply>
  void for_each_group(std::size_t boards, const Multiply& multiply) {
    for (std::size_t g = 0; g * kGroup < boards; ++g) {
      float* out[kGroup] = {};
      const std::size_t members = std::min(kGroup, boards - g * kGroup);
      for (std::size_t m = 0; m < members; ++m) out[m] = row(g * kGroup + m);
      multiply(g, members, out);
    }
  }
};

DenseNetwork::Scratch::Scratch() : buffers_(std::make_unique<Buffers>()) {}
DenseNetwork::Scratch::~Scratch() = default;
DenseNetwork::Scratch::Scratch(Scratch&&) noexcept = default;
DenseNetwork::Scratch& DenseNetwork::Scratch::operator=(Scratch&&) noexcept = default;

DenseNetwork::DenseNetwork(const NetworkFile& file, Arithmetic arithmetic, const DenseKernels& kernels)
    : kernels_(kernels), arithmetic_(arithmetic), logistic_(has_logistic_output(file.kind)) {
  if (file.inputs() > kMostInputs)
    throw DataError("the network has " + std::to_string(file.inputs()) + " inputs, expected at most " +
                    std::to_string(kMostInputs));
  input_stride_ = rounded_up(file.inputs());
  std::size_t padded = widest_ = input_stride_;
  for (std::size_t l = 0; l + 1 < file.layers.size(); ++l) {
    const DenseLayer& from = file.layers[l];
    HiddenLayer to;
    to.stride = rounded_up(from.outputs);
    to.columns = arithmetic == Arithmetic::kFloat ? padded : padded / kPair;
    to.biases.assign(to.stride, 0.0F);
    std::copy(from.biases.begin(), from.biases.end(), to.biases.begin());
    if (arithmetic == Arithmetic::kFloat) {
      to.weights.assign(to.stride * padded, 0.0F);
    } else {
      to.pairs.assign(to.stride * padded, 0);
      to.scales.assign(to.stride, 0.0F);
    }
    for (std::size_t j = 0; j < from.outputs; ++j) {
      const float* const row = from.weights.data() + j * from.inputs;
      const std::size_t start = (j / kTile * padded) * kTile;
      const std::size_t place = j % kTile;
      if (arithmetic == Arithmetic::kFloat) {
        for (std::size_t i = 0; i < from.inputs; ++i) to.weights[start + i * kTile + place] = row[i];
        continue;
      }
      const double steps = weight_steps(row, from.inputs);
      to.scales[j] = static_cast<float>(1.0 / steps);
      for (std::size_t i = 0; i < from.inputs; ++i)
        to.pairs[start + (i / kPair * kTile + place) * kPair + i % kPair] =
            static_cast<std::int16_t>(std::lround(steps * static_cast<double>(row[i])));
    }
    memory_ += to.weights.size() * sizeof(float) + to.pairs.size() * sizeof(std::int16_t) +
               (to.scales.size() + to.biases.size()) * sizeof(float);
    padded = to.stride;
    widest_ = std::max(widest_, padded);
    hidden_.push_back(std::move(to));
  }
  const DenseLayer& last = file.layers.back();
  outputs_ = last.outputs;
  last_inputs_ = padded;
  output_weights_.assign(outputs_ * padded, 0.0F);
  for (std::size_t k = 0; k < outputs_; ++k)
    std::copy_n(last.weights.begin() + static_cast<std::ptrdiff_t>(k * last.inputs), last.inputs,
                output_weights_.begin() + static_cast<std::ptrdiff_t>(k * padded));
  output_biases_ = last.biases;
  memory_ += (output_weights_.size() + output_biases_.size()) * sizeof(float);
}

void DenseNetwork::evaluate(std::span<const std::int16_t> inputs, std::span<float> outputs, Scratch& scratch) const {
  scratch.buffers_->make_room(widest_, arithmetic_);
  const std::size_t boards = outputs.size() / outputs_;
  for (std::size_t first = 0; first < boards; first += kBatch)
    pass(inputs.data() + first * input_stride_, std::min(kBatch, boards - first), outputs.data() + first * outputs_,
         *scratch.buffers_);
}

void DenseNetwork::pass(const std::int16_t* inputs, std::size_t boards, float* outputs,
                        Scratch::Buffers& buffers) const {
  const bool pairs = arithmetic_ == Arithmetic::kInt16 && !hidden_.empty();
  if (pairs) {
    const std::size_t distance = buffers.width / kPair;
    for (std::size_t b = 0; b < boards; ++b) {
      std::memcpy(buffers.pairs.data() + b * distance, inputs + b * input_stride_, input_stride_ * sizeof(std::int16_t));
      buffers.scales[b] = 1.0F / static_cast<float>(kInputSteps);
    }
  } else {
    for (std::size_t b = 0; b < boards; ++b) {
      const std::int16_t* const from = inputs + b * input_stride_;
      float* const to = buffers.row(b);
      for (std::size_t i = 0; i < input_stride_; ++i) to[i] = static_cast<float>(from[i]) / static_cast<float>(kInputSteps);
    }
  }
  for (std::size_t l = 0; l < hidden_.size(); ++l) {
    if (!pairs) {
      float_layer(hidden_[l], boards, buffers);
      continue;
    }
    if (l > 0) {
      for (std::size_t b = 0; b < boards; ++b)
        buffers.scales[b] = kernels_.quantize(buffers.row(b), kPair * hidden_[l].columns,
                                              reinterpret_cast<std::int16_t*>(buffers.pairs.data() + b * buffers.width / kPair));
    }
    pair_layer(hidden_[l], boards, buffers);
  }
  for (std::size_t b = 0; b < boards; ++b)
    for (std::size_t k = 0; k < outputs_; ++k) {
      const float sum =
          output_biases_[k] + kernels_.dot(buffers.row(b), output_weights_.data() + k * last_inputs_, last_inputs_);
      outputs[b * outputs_ + k] =
          logistic_ ? static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(sum)))) : sum;
    }
}

void DenseNetwork::float_layer(const HiddenLayer& layer, std::size_t boards, Scratch::Buffers& buffers) const {
  buffers.floats.fill(buffers.units.data(), buffers.width, boards, layer.columns, kernels_.float_columns);
  const FloatWeights weights{layer.weights.data(), layer.biases.data(), layer.columns, layer.stride};
  for (std::size_t tile = 0; tile * kTile < layer.stride; ++tile)
    buffers.for_each_group(boards, [&](std::size_t g, std::size_t members, float* const* out) {
      kernels_.float_tile(weights, tile, buffers.floats.group(g), members, out);
    });
}

void DenseNetwork::pair_layer(const HiddenLayer& layer, std::size_t boards, Scratch::Buffers& buffers) const {
  buffers.ints.fill(buffers.pairs.data(), buffers.width / kPair, boards, layer.columns, kernels_.pair_columns);
  const PairWeights weights{layer.pairs.data(), layer.scales.data(), layer.biases.data(), layer.columns, layer.stride};
  for (std::size_t tile = 0; tile * kTile < layer.stride; ++tile)
    buffers.for_each_group(boards, [&](std::size_t g, std::size_t members, float* const* out) {
      kernels_.pair_tile(weights, tile, buffers.ints.group(g), members, buffers.scales.data() + g * kGroup, out);
    });
}

}  // namespace botd::nets
