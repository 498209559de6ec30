#include "sage/evaluator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "rules/board_bits.hpp"
#include "sage/bearoff.hpp"
#include "sage/feature_lanes.hpp"
#include "sage/network.hpp"
#include "sage/routing.hpp"
#include "sage/sigmoid.hpp"
#include "sage/workspace.hpp"

namespace botd::sage {

struct Evaluator::Data {
  CpuPath path = CpuPath::plain;
  ForwardKernels kernels;
  ContactInputsFunction contact_inputs = nullptr;
  FeatureTables tables = feature_tables();
  std::array<std::shared_ptr<const Network>, kNetworks> networks;  // indices with one file share one
  std::optional<BearoffDatabase> bearoff;
  std::vector<std::filesystem::path> files;
};

namespace {

// A board that differs from the base on more points than this is cheaper to encode afresh.
constexpr int kMostChangedPoints = 10;

// Fewer boards leave too many lanes idle; the inputs are the same either way.
constexpr std::size_t kFewestForLanes = 5;

int changed_points(const Board& a, const Board& b) { return std::popcount(different_places(a, b)); }

Probabilities from_sums(const float* sums) {
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
  data->contact_inputs = contact_inputs_function(path);
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
  Workspace::Buffers& buffers = *workspace.buffers_;
  if (base == nullptr && post_move.size() > 1) base = &post_move.front();
  if (base != nullptr) buffers.set_base(data_, *base);
  evaluate_from(post_move, static_cast<std::size_t>(network), out, buffers, base != nullptr);
}

void Evaluator::static_values(std::span<const Board> post_move, std::span<Probabilities> out,
                              Workspace& workspace) const {
  if (post_move.size() != out.size()) throw std::invalid_argument("as many results as boards are expected");
  std::array<std::vector<std::size_t>, kNetworks> members;
  for (std::size_t i = 0; i < post_move.size(); ++i) {
    const Board& board = post_move[i];
    if (covered(board)) {
      out[i] = bearoff_post_move(board);
    } else if (const int result = game_result(board); result != 0) {
      out[i] = terminal_probabilities(result);
    } else {
      members[static_cast<std::size_t>(route(board))].push_back(i);
    }
  }
  std::array<Board, kMostRows> boards;
  std::array<Probabilities, kMostRows> values;
  for (std::size_t network = 0; network < members.size(); ++network) {
    const std::span<const std::size_t> all = members[network];
    for (std::size_t done = 0; done < all.size();) {
      const std::span<const std::size_t> some = all.subspan(done, std::min<std::size_t>(kMostRows, all.size() - done));
      for (std::size_t k = 0; k < some.size(); ++k) boards[k] = post_move[some[k]];
      evaluate_from(std::span(boards).first(some.size()), network, std::span(values).first(some.size()),
                    *workspace.buffers_, false);
      for (std::size_t k = 0; k < some.size(); ++k) out[some[k]] = values[k];
      done += some.size();
    }
  }
}

void Evaluator::evaluate_from(std::span<const Board> post_move, std::size_t network, std::span<Probabilities> out,
                              Workspace::Buffers& buffers, bool from_base) const {
  const bool race = network == kRaceNetwork;
  const NetworkLayout& layout = data_->networks[network]->layout();
  // First what changes in the inputs of some boards, then their passes through the network together.
  std::array<Row, kMostRows> rows;
  std::array<float, static_cast<std::size_t>(kMostRows) * kOutputs> sums;
  for (std::size_t done = 0; done < post_move.size();) {
    const std::size_t count = std::min<std::size_t>(kMostRows, post_move.size() - done);
    const std::span<const Board> boards = post_move.subspan(done, count);
    if (race) {
      for (std::size_t i = 0; i < count; ++i) race_extras(boards[i], buffers.extras[i]);
    } else {
      const ContactInputsFunction inputs = count < kFewestForLanes ? contact_inputs_plain : data_->contact_inputs;
      inputs(boards.data(), static_cast<int>(count), data_->tables, buffers.extras.front().data());
    }
    InputChange* changes = buffers.changes.data();
    for (std::size_t i = 0; i < count; ++i) {
      const Board& board = boards[i];
      const Extras& extras = buffers.extras[i];
      Row& row = rows[i];
      if (from_base && changed_points(board, buffers.base.board) <= kMostChangedPoints) {
        if (!buffers.has_first_layer[network]) prepare_base(network, buffers, changes);
        row = {buffers.first_layer[network].get(), changes,
               changed_inputs(board, extras, buffers.base, race, data_->kernels.changes, changes)};
      } else {
        row = {layout.hidden_bias, changes, nonzero_inputs(board, extras, race, data_->kernels.changes, changes)};
      }
      changes += row.count;
    }
    data_->kernels.outputs(layout, rows.data(), static_cast<int>(count), sums.data());
    for (std::size_t i = 0; i < count; ++i) out[done + i] = from_sums(sums.data() + i * kOutputs);
    done += count;
  }
}

void Evaluator::prepare_base(std::size_t network, Workspace::Buffers& buffers, InputChange* changes) const {
  const NetworkLayout& layout = data_->networks[network]->layout();
  FloatBuffer& first_layer = buffers.first_layer[network];
  if (!first_layer) first_layer.reset(allocate_floats(static_cast<std::size_t>(layout.stride)));
  const bool race = network == kRaceNetwork;
  const int count = nonzero_inputs(buffers.base.board, buffers.base.extras(race), race, data_->kernels.changes, changes);
  data_->kernels.accumulate(layout, {layout.hidden_bias, changes, count}, first_layer.get());
  buffers.has_first_layer[network] = true;
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
