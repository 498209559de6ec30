#include "fast/prune_net.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fast/prune_inputs.hpp"
#include "fast/prune_kernels.hpp"
#include "rules/errors.hpp"
#include "rules/moves.hpp"

namespace botd::fast {
namespace {

constexpr std::size_t kContents = kPruneContents;
constexpr std::size_t kOffCounts = kCheckers + 1;
// Room for the rounding of all that is added up: 26 places, the bias and six more.
constexpr double kLargestHidden = 32767.0 - 17.0;
// The sum of output weights times hidden units has to fit into 32 bits.
constexpr double kLargestOutputSum = 65535.0;

// Sixteen-bit numbers in rows on 64-byte boundaries.
class Rows {
 public:
  Rows(std::size_t rows, std::size_t stride) : stride_(stride), tiles_(rows * stride / kPruneTile) {}

  [[nodiscard]] std::int16_t* row(std::size_t i) { return tiles_.front().numbers.data() + i * stride_; }
  [[nodiscard]] const std::int16_t* row(std::size_t i) const { return tiles_.front().numbers.data() + i * stride_; }

 private:
  struct alignas(64) Tile {
    std::array<std::int16_t, kPruneTile> numbers{};
  };
  std::size_t stride_;
  std::vector<Tile> tiles_;
};

// What each content of each place adds to one hidden unit, in the numbers of the weights.
struct UnitTable {
  std::array<std::array<double, kContents>, kPrunePlaces> places{};
  std::array<double, kPruneFeatureRows> features{};  // by the rows of PruneRows
  std::array<double, kOffCounts> opponent_off{};
  double bias = 0.0;
};

double sum_of(const PlaceInputs& inputs, const float* weights) {
  double sum = 0.0;
  for (std::size_t k = 0; k < inputs.count; ++k)
    sum += static_cast<double>(inputs.values[k]) * static_cast<double>(weights[inputs.first + k]);
  return sum;
}

UnitTable unit_table(const float* weights, float bias) {
  UnitTable table;
  for (std::size_t p = 0; p < kPrunePlaces; ++p) {
    const bool bar = p == kOpponentBar || p == kOwnBar;
    for (int n = bar ? 0 : -kCheckers; n <= kCheckers; ++n)
      table.places[p][static_cast<std::size_t>(n + kPruneZeroContent)] = sum_of(prune_place_inputs(p, n), weights);
  }
  for (std::size_t f = 0; f < kPruneFeatures; ++f)
    for (std::size_t v = 0; v < kPruneFeatureValues[f]; ++v)
      table.features[kPruneFeatureStart[f] + v] =
          sum_of(prune_feature_inputs(static_cast<PruneFeature>(f), static_cast<int>(v)), weights);
  for (std::size_t n = 0; n < kOffCounts; ++n)
    table.opponent_off[n] = sum_of(prune_off_inputs(false, static_cast<int>(n)), weights);
  table.bias = bias;
  return table;
}

// The largest sum that one side's fifteen checkers can give, wherever they are, all numbers taken times `sign`.
double largest_sum(const UnitTable& table, bool own, double sign) {
  std::array<double, kOffCounts> best{};  // by the number of checkers placed so far
  best.fill(-std::numeric_limits<double>::infinity());
  best[0] = 0.0;
  for (std::size_t p = 0; p < kPrunePlaces; ++p) {
    if (p == static_cast<std::size_t>(own ? kOpponentBar : kOwnBar)) continue;
    const bool negative = !own && p != kOpponentBar;
    for (std::size_t total = kCheckers; total > 0; --total)
      for (std::size_t n = 1; n <= total; ++n) {
        const std::size_t content = negative ? kPruneZeroContent - n : kPruneZeroContent + n;
        best[total] = std::max(best[total], best[total - n] + sign * table.places[p][content]);
      }
  }
  static_assert(kPruneFeatureStart[static_cast<std::size_t>(PruneFeature::kOwnOff)] == 0);
  const double* off = own ? table.features.data() : table.opponent_off.data();
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t total = 0; total < kOffCounts; ++total)
    largest = std::max(largest, best[total] + sign * off[kCheckers - total]);
  return largest;
}

// The largest sum of the features that the places do not determine alone, whether they go together or not.
double largest_features(const UnitTable& table, double sign) {
  double sum = 0.0;
  for (std::size_t f = 1; f < kPruneFeatures; ++f) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < kPruneFeatureValues[f]; ++v)
      largest = std::max(largest, sign * table.features[kPruneFeatureStart[f] + v]);
    sum += largest;
  }
  return sum;
}

// No possible board gives a hidden sum further from zero.
double largest_hidden(const UnitTable& table) {
  const auto largest = [&table](double sign) {
    return sign * table.bias + largest_sum(table, true, sign) + largest_sum(table, false, sign) +
           largest_features(table, sign);
  };
  return std::max({std::fabs(largest(1.0)), std::fabs(largest(-1.0)), 1e-6});
}

// Modulo 2^16: a single number may lie outside, the sum of those of a possible board does not.
std::int16_t wrapped(double value) { return static_cast<std::int16_t>(std::llround(value)); }

void add_row(std::int16_t* sums, const std::int16_t* row, std::size_t size) {
  for (std::size_t j = 0; j < size; ++j)
    sums[j] = static_cast<std::int16_t>(static_cast<std::uint16_t>(sums[j]) + static_cast<std::uint16_t>(row[j]));
}

void check_shape(const nets::NetworkFile& network, const std::string& name) {
  const auto fail = [&name](const std::string& what, const std::string& expected) {
    throw DataError(name + ": " + what + ", expected " + expected + " in a rough network");
  };
  if (network.kind != nets::NetworkKind::kRoughEquity)
    fail(std::string("the kind is ") + nets::name(network.kind), nets::name(nets::NetworkKind::kRoughEquity));
  if (network.encoding != kPruneEncoding) fail("the encoding is " + network.encoding, kPruneEncoding);
  if (network.layers.size() != 2) fail(std::to_string(network.layers.size()) + " layers", "2");
  const nets::DenseLayer& first = network.layers.front();
  if (first.inputs != kPruneInputs)
    fail(std::to_string(first.inputs) + " inputs", std::to_string(kPruneInputs));
  if (first.outputs < 1 || first.outputs > PruneNet::kMaxHidden)
    fail(std::to_string(first.outputs) + " hidden units", "1 to " + std::to_string(PruneNet::kMaxHidden));
}

}  // namespace

struct PruneNet::Data {
  explicit Data(std::size_t padded)
      : places(kPrunePlaces * kContents, padded),
        features(kPruneFeatureRows, padded),
        opponent_off(kOffCounts, padded),
        rest(2, padded) {}

  // The hidden units of a board, but for its features.
  void sum_hidden(const Board& board, std::int16_t* sums_out) const;

  CpuPath path = CpuPath::plain;
  PruneHitsFunction hits = nullptr;
  PruneSumsFunction sums = nullptr;
  std::size_t hidden = 0;
  Rows places;
  Rows features;
  Rows opponent_off;
  Rows rest;  // bias and output
  PruneLayout layout;
  float scale = 0.0F;  // points for one unit of an output sum
  float output_bias = 0.0F;
};

void PruneNet::Data::sum_hidden(const Board& board, std::int16_t* sums_out) const {
  const auto size = static_cast<std::size_t>(layout.stride);
  std::copy_n(rest.row(0), size, sums_out);
  for (std::size_t p = 0; p < kPrunePlaces; ++p)
    if (board[p] != 0)
      add_row(sums_out, places.row(p * kContents + static_cast<std::size_t>(board[p] + kPruneZeroContent)), size);
  add_row(sums_out, opponent_off.row(static_cast<std::size_t>(opponent_borne_off(board))), size);
}

struct PruneNet::Workspace::Buffers {
  // Whose hidden units these are; kept alive so that the identity cannot be reused.
  std::shared_ptr<const void> owner;
  Board unmoved;
  std::optional<Rows> hidden;  // one row
  std::vector<PruneRows> features;
  std::vector<std::int32_t> sums;
};

PruneNet::Workspace::Workspace() : buffers_(std::make_unique<Buffers>()) {}
PruneNet::Workspace::~Workspace() = default;
PruneNet::Workspace::Workspace(Workspace&&) noexcept = default;
PruneNet::Workspace& PruneNet::Workspace::operator=(Workspace&&) noexcept = default;

std::shared_ptr<const PruneNet> PruneNet::load(const std::filesystem::path& file, CpuPath path) {
  return std::make_shared<const PruneNet>(nets::read_network(file), file.string(), path);
}

PruneNet::PruneNet(const nets::NetworkFile& network, const std::string& name, CpuPath path) {
  const std::vector<CpuPath> available = available_cpu_paths();
  if (std::find(available.begin(), available.end(), path) == available.end())
    throw std::invalid_argument(std::string("this machine cannot run the CPU path ") + botd::name(path));
  check_shape(network, name);
  const nets::DenseLayer& first = network.layers.front();
  const nets::DenseLayer& second = network.layers.back();
  const std::size_t hidden = first.outputs;
  const std::size_t padded = (hidden + kPruneTile - 1) / kPruneTile * kPruneTile;
  auto data = std::make_shared<Data>(padded);
  data->path = path;
  data->hits = prune_hits_function(path);
  data->sums = prune_sums_function(path);
  data->hidden = hidden;
  data->output_bias = second.biases.front();

  // Each unit gets the largest scale at which no board makes it overflow; its output weight takes that back.
  std::vector<double> output(hidden);
  double output_sum = 1e-30;
  double largest_output = 1e-30;
  for (std::size_t j = 0; j < hidden; ++j) {
    const UnitTable table = unit_table(first.weights.data() + j * kPruneInputs, first.biases[j]);
    const double scale = kLargestHidden / largest_hidden(table);
    for (std::size_t p = 0; p < kPrunePlaces; ++p)
      for (std::size_t n = 0; n < kContents; ++n)
        data->places.row(p * kContents + n)[j] = wrapped(table.places[p][n] * scale);
    for (std::size_t row = 0; row < kPruneFeatureRows; ++row)
      data->features.row(row)[j] = wrapped(table.features[row] * scale);
    for (std::size_t n = 0; n < kOffCounts; ++n)
      data->opponent_off.row(n)[j] = wrapped(table.opponent_off[n] * scale);
    data->rest.row(0)[j] = wrapped(table.bias * scale);
    output[j] = second.weights[j] / scale;
    output_sum += std::fabs(output[j]);
    largest_output = std::max(largest_output, std::fabs(output[j]));
  }
  // Rounding may add half a unit to each.
  const double output_scale =
      std::min((kLargestOutputSum - static_cast<double>(hidden)) / output_sum, 32767.0 / largest_output);
  for (std::size_t j = 0; j < hidden; ++j)
    data->rest.row(1)[j] = static_cast<std::int16_t>(std::lround(output[j] * output_scale));
  data->scale = static_cast<float>(1.0 / output_scale);
  data->layout = {data->places.row(0), data->features.row(0), data->rest.row(1), static_cast<int>(padded)};
  data_ = std::move(data);
}

PruneNet::~PruneNet() = default;

CpuPath PruneNet::cpu_path() const { return data_->path; }
std::size_t PruneNet::hidden() const { return data_->hidden; }

void PruneNet::evaluate(std::span<const Board> post_move, const Board& unmoved, std::span<float> out,
                        Workspace& workspace) const {
  if (post_move.size() != out.size()) throw std::invalid_argument("as many results as boards are expected");
  if (post_move.empty()) return;
  Workspace::Buffers& buffers = *workspace.buffers_;
  if (buffers.owner != data_ || buffers.unmoved != unmoved) {
    if (buffers.owner != data_) {
      buffers.hidden.emplace(1, static_cast<std::size_t>(data_->layout.stride));
      buffers.owner = data_;
    }
    buffers.unmoved = unmoved;
    data_->sum_hidden(unmoved, buffers.hidden->row(0));
  }
  if (buffers.sums.size() < post_move.size()) {
    buffers.features.resize(post_move.size());
    buffers.sums.resize(post_move.size());
  }
  for (std::size_t i = 0; i < post_move.size(); ++i) buffers.features[i] = prune_features(post_move[i], data_->hits);
  static_assert(sizeof(Board) == kPrunePlaces && sizeof(PruneRows) == kPruneRowsOfBoard);
  const PruneBase base{unmoved.points.data(), buffers.hidden->row(0)};
  data_->sums(data_->layout, base, post_move.front().points.data(), buffers.features.front().data(), post_move.size(),
              buffers.sums.data());
  for (std::size_t i = 0; i < post_move.size(); ++i)
    out[i] = data_->output_bias + data_->scale * static_cast<float>(buffers.sums[i]);
  if (kCheckers - own_borne_off(unmoved) > kMaxSteps) return;  // no play ends the game
  for (std::size_t i = 0; i < post_move.size(); ++i)
    if (const int result = game_result(post_move[i]); result != 0) out[i] = static_cast<float>(result);
}

}  // namespace botd::fast
