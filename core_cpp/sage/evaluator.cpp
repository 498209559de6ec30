#include "sage/evaluator.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "sage/bearoff.hpp"
#include "sage/network.hpp"
#include "sage/routing.hpp"
#include "sage/sigmoid.hpp"
#include "sage/workspace.hpp"

namespace botd::sage {

struct Evaluator::Data {
  CpuPath path = CpuPath::plain;
  ForwardKernels kernels;
  std::array<std::shared_ptr<const Network>, kNetworks> networks;  // indices with one file share one
  std::optional<BearoffDatabase> bearoff;
  std::vector<std::filesystem::path> files;
};

namespace {

// A board that differs from the base on more points than this is cheaper to encode afresh.
constexpr int kMostChangedPoints = 10;

int changed_points(const Board& a, const Board& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.points.size(); ++i) count += a.points[i] != b.points[i] ? 1 : 0;
  return count;
}

Probabilities from_sums(const std::array<float, kOutputs>& sums) {
  return {table_sigmoid(sums[0]), table_sigmoid(sums[1]), table_sigmoid(sums[2]), table_sigmoid(sums[3]),
          table_sigmoid(sums[4])};
}

}  // namespace

std::shared_ptr<const Evaluator> Evaluator::load(const std::filesystem::path& models_dir,
                                                 const std::filesystem::path& bearoff_db, CpuPath path) {
  const std::vector<CpuPath> available = available_cpu_paths();
  if (std::find(available.begin(), available.end(), path) == available.end())
    throw std::invalid_argument(std::string("this machine cannot run the CPU path ") + name(path));
  auto data = std::make_shared<Data>();
  data->path = path;
  data->kernels = forward_kernels(path);
  std::map<std::string, std::shared_ptr<const Network>> by_file;
  for (std::size_t i = 0; i < kNetworks; ++i) {
    auto& network = by_file[kNetworkFiles[i]];
    if (!network) {
      const std::filesystem::path file = models_dir / kNetworkFiles[i];
      network = std::make_shared<const Network>(file, i == kRaceNetwork ? kRaceShape : kContactShape);
      data->files.push_back(file);
    }
    data->networks[i] = network;
  }
  if (!bearoff_db.empty()) {
    data->bearoff.emplace(bearoff_db);
    data->files.push_back(bearoff_db);
  }
  return std::shared_ptr<const Evaluator>(new Evaluator(std::move(data)));
}

Evaluator::Evaluator(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
Evaluator::~Evaluator() = default;

int Evaluator::route(const Board& board) const { return sage::route(view_of(board)); }

void Evaluator::evaluate(std::span<const Board> post_move, int network, std::span<Probabilities> out,
                         Workspace& workspace, const Board* base) const {
  if (network < 0 || network >= kNetworks)
    throw std::out_of_range("network index " + std::to_string(network) + ", expected 0 to 23");
  if (post_move.size() != out.size())
    throw std::invalid_argument("as many results as boards are expected");
  const auto index = static_cast<std::size_t>(network);
  const bool race = network == kRaceNetwork;
  const NetworkLayout& layout = data_->networks[index]->layout();
  Workspace::Buffers& buffers = *workspace.buffers_;
  if (base == nullptr && post_move.size() > 1) base = &post_move.front();
  if (base != nullptr) buffers.set_base(data_, *base);

  for (std::size_t i = 0; i < post_move.size(); ++i) {
    buffers.current.set(post_move[i]);
    const float* start = layout.hidden_bias;
    int count = 0;
    if (base != nullptr && changed_points(post_move[i], buffers.base.board) <= kMostChangedPoints) {
      if (!buffers.has_first_layer[index]) {
        if (!buffers.first_layer[index])
          buffers.first_layer[index].reset(allocate_floats(static_cast<std::size_t>(layout.stride)));
        count = nonzero_inputs(buffers.base, race, buffers.changes);
        data_->kernels.accumulate(layout, layout.hidden_bias, buffers.changes.data(), count,
                                  buffers.first_layer[index].get());
        buffers.has_first_layer[index] = true;
      }
      start = buffers.first_layer[index].get();
      count = changed_inputs(buffers.current, buffers.base, race, buffers.changes);
    } else {
      count = nonzero_inputs(buffers.current, race, buffers.changes);
    }
    std::array<float, kOutputs> sums{};
    data_->kernels.outputs(layout, start, buffers.changes.data(), count, sums.data());
    out[i] = from_sums(sums);
  }
}

bool Evaluator::covered(const Board& board) const { return data_->bearoff.has_value() && all_home(board); }

Probabilities Evaluator::bearoff_post_move(const Board& board) const {
  return data_->bearoff.value().opponent_to_roll(board);
}

Probabilities Evaluator::bearoff_pre_roll(const Board& board) const {
  return data_->bearoff.value().own_side_to_roll(board);
}

CpuPath Evaluator::cpu_path() const { return data_->path; }

const std::vector<std::filesystem::path>& Evaluator::files() const { return data_->files; }

}  // namespace botd::sage
