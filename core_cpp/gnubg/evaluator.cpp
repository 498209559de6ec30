#include "gnubg/evaluator.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gnubg/base_inputs.hpp"
#include "gnubg/bearoff_lookup.hpp"
#include "gnubg/clearing.hpp"
#include "gnubg/contact_inputs.hpp"
#include "gnubg/network.hpp"
#include "gnubg/race_backgammon.hpp"
#include "gnubg/race_inputs.hpp"
#include "gnubg/sanity.hpp"
#include "gnubg/weights.hpp"

namespace botd::gnubg {

struct Evaluator::Data {
  explicit Data(BearoffLookup databases) : bearoff(std::move(databases)) {}

  Profile profile = Profile::kA;
  EvaluatorOptions options;
  std::string version;
  std::vector<std::filesystem::path> files;
  std::vector<Network> networks;  // by NetworkIndex
  BearoffLookup bearoff;
  ClearingTable clearing;

  [[nodiscard]] PositionClass classify(const Position& position) const {
    const PositionClass by_contact = class_without_databases(position);
    if (by_contact != PositionClass::kRace) return by_contact;
    if (bearoff.two_sided_covers(position)) return PositionClass::kTwoSided;
    return bearoff.one_sided_covers(position) ? PositionClass::kOneSided : PositionClass::kRace;
  }

  void correct_race(const Position& position, PositionClass position_class, Probabilities& p) const {
    if (position_class == PositionClass::kRace && bearoff.has_one_sided())
      set_race_backgammons(position, bearoff, clearing, p);
  }
};

namespace {

// Index of a class's network; the pruning networks stand in the same order.
NetworkIndex network_of(PositionClass position_class) {
  switch (position_class) {
    case PositionClass::kContact:
      return kContactNetwork;
    case PositionClass::kCrashed:
      return kCrashedNetwork;
    case PositionClass::kRace:
      return kRaceNetwork;
    default:
      throw std::invalid_argument(std::string("class: there is no network for ") + name(position_class) +
                                  ", expected race, crashed or contact");
  }
}

NetworkIndex pruning_network_of(PositionClass position_class) {
  switch (network_of(position_class)) {
    case kContactNetwork:
      return kPruningContactNetwork;
    case kCrashedNetwork:
      return kPruningCrashedNetwork;
    default:
      return kPruningRaceNetwork;
  }
}

void set_inputs(const Position& position, PositionClass position_class, Profile profile, ActiveInputs& inputs) {
  inputs.clear();
  if (position_class == PositionClass::kRace)
    add_race_inputs(position, inputs);
  else
    add_contact_inputs(position, position_class, profile, inputs);
}

// The result of a game that is over.
Probabilities finished(const Position& position) {
  const bool lost = position.other.checkers == 0;
  const Side& loser = lost ? position.roller : position.other;
  const int points = loser.checkers < kCheckers ? 1 : (loser.back() < 18 ? 2 : 3);
  return terminal_probabilities(lost ? -points : points);
}

}  // namespace

std::shared_ptr<const Evaluator> Evaluator::load(const DataFiles& files, const EvaluatorOptions& options) {
  const std::vector<CpuPath> available = available_cpu_paths();
  if (std::find(available.begin(), available.end(), options.path) == available.end())
    throw std::invalid_argument(std::string("this machine cannot run the CPU path ") + name(options.path));
  const ForwardFunction forward = forward_function(options.path, options.division);
  const WeightFile weights = read_weights(files.weights);
  auto data = std::make_unique<Data>(BearoffLookup(files.one_sided, files.two_sided));
  data->options = options;
  for (const std::filesystem::path& file : {files.weights, files.one_sided, files.two_sided})
    if (!file.empty()) data->files.push_back(file);
  data->version = weights.version;
  data->profile = options.profile.value_or(weights.version == "1.00" ? Profile::kA : Profile::kB);
  for (std::size_t i = 0; i < kNetworks; ++i)
    data->networks.emplace_back(kNetworkShapes[i], weights.networks[i], forward);
  return std::shared_ptr<const Evaluator>(new Evaluator(std::move(data)));
}

Evaluator::Evaluator(std::unique_ptr<const Data> data) : data_(std::move(data)) {}
Evaluator::~Evaluator() = default;

Profile Evaluator::profile() const { return data_->profile; }
HiddenDivision Evaluator::division() const { return data_->options.division; }
CpuPath Evaluator::cpu_path() const { return data_->options.path; }
const std::string& Evaluator::weights_version() const { return data_->version; }
const std::vector<std::filesystem::path>& Evaluator::files() const { return data_->files; }

PositionClass Evaluator::classify(const Board& on_roll) const {
  return classify(position_of(on_roll));
}

PositionClass Evaluator::classify(const Position& position) const { return data_->classify(position); }

Probabilities Evaluator::uncorrected(const Position& position, PositionClass position_class,
                                     Workspace& workspace) const {
  Probabilities p;
  if (position_class == PositionClass::kTwoSided) {
    p.win = (data_->bearoff.two_sided(position).cubeless + 1.0F) / 2.0F;
  } else if (position_class == PositionClass::kOneSided) {
    p = data_->bearoff.one_sided(position);
  } else {
    set_inputs(position, position_class, data_->profile, workspace.inputs_);
    p = data_->networks[network_of(position_class)].outputs(workspace.inputs_);
    data_->correct_race(position, position_class, p);
  }
  return p;
}

Probabilities Evaluator::evaluate(const Board& on_roll, Workspace& workspace) const {
  const Position position = position_of(on_roll);
  return evaluate(position, data_->classify(position), workspace);
}

Probabilities Evaluator::evaluate(const Position& position, PositionClass position_class,
                                  Workspace& workspace) const {
  if (position_class == PositionClass::kOver) return finished(position);
  Probabilities p = uncorrected(position, position_class, workspace);
  if (position_class >= PositionClass::kRace) apply_sanity(position, data_->bearoff, p);
  return p;
}

void Evaluator::evaluate(std::span<const Board> on_roll, std::span<Probabilities> out, Workspace& workspace) const {
  if (on_roll.size() != out.size()) throw std::invalid_argument("as many results as boards are expected");
  for (std::size_t i = 0; i < on_roll.size(); ++i) out[i] = evaluate(on_roll[i], workspace);
}

Probabilities Evaluator::noisy(const Board& on_roll, double noise, const NoiseSource& source,
                               Workspace& workspace) const {
  const Position position = position_of(on_roll);
  return noisy(position, data_->classify(position), noise, source, workspace);
}

Probabilities Evaluator::noisy(const Position& position, PositionClass position_class, double noise,
                               const NoiseSource& source, Workspace& workspace) const {
  if (position_class == PositionClass::kOver) return finished(position);
  Probabilities p = uncorrected(position, position_class, workspace);
  add_noise(position, noise, source, p);
  apply_sanity(position, data_->bearoff, p);
  return p;
}

Probabilities Evaluator::prune_value(const Board& on_roll, PositionClass position_class,
                                     Workspace& workspace) const {
  return prune_value(position_of(on_roll), position_class, workspace);
}

Probabilities Evaluator::prune_value(const Position& position, PositionClass position_class,
                                     Workspace& workspace) const {
  const Network& network = data_->networks[pruning_network_of(position_class)];
  workspace.inputs_.clear();
  add_base_inputs(position, workspace.inputs_);
  Probabilities p = network.outputs(workspace.inputs_);
  data_->correct_race(position, position_class, p);
  apply_sanity(position, data_->bearoff, p);
  return p;
}

bearoff::TwoSidedEquities Evaluator::two_sided(const Board& on_roll) const {
  return two_sided(position_of(on_roll));
}

bearoff::TwoSidedEquities Evaluator::two_sided(const Position& position) const {
  const PositionClass position_class = data_->classify(position);
  if (position_class != PositionClass::kTwoSided)
    throw std::invalid_argument(std::string("board: of class ") + name(position_class) +
                                ", expected one in the two-sided bear-off database");
  return data_->bearoff.two_sided(position);
}

Probabilities Evaluator::network_outputs(const Board& on_roll, PositionClass position_class,
                                         Workspace& workspace) const {
  const Network& network = data_->networks[network_of(position_class)];
  set_inputs(position_of(on_roll), position_class, data_->profile, workspace.inputs_);
  return network.outputs(workspace.inputs_);
}

Probabilities Evaluator::pruning_outputs(const Board& on_roll, PositionClass position_class,
                                         Workspace& workspace) const {
  const Network& network = data_->networks[pruning_network_of(position_class)];
  workspace.inputs_.clear();
  add_base_inputs(position_of(on_roll), workspace.inputs_);
  return network.outputs(workspace.inputs_);
}

std::vector<float> Evaluator::inputs(const Board& on_roll, PositionClass position_class) const {
  ActiveInputs active;
  const NetworkIndex network = network_of(position_class);
  set_inputs(position_of(on_roll), position_class, data_->profile, active);
  std::vector<float> all(static_cast<std::size_t>(kNetworkShapes[network].inputs), 0.0F);
  for (const ActiveInput& input : active) all[static_cast<std::size_t>(input.input)] = input.value;
  return all;
}

}  // namespace botd::gnubg
