#include "search/sage_source.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace botd {
namespace {

struct SageScratch final : StaticSource::Scratch {
  sage::Workspace workspace;
  std::vector<std::int8_t> networks;  // by board, kKnown if the value is known without a network
  std::vector<std::size_t> order;     // boards grouped by network
  std::vector<Board> grouped;
  std::vector<Probabilities> values;
};

constexpr std::int8_t kKnown = -1;

}  // namespace

SageSource::SageSource(std::shared_ptr<const sage::Evaluator> evaluator, Bearoff bearoff)
    : evaluator_(std::move(evaluator)), bearoff_(bearoff) {}

std::unique_ptr<StaticSource::Scratch> SageSource::make_scratch() const {
  return std::make_unique<SageScratch>();
}

int SageSource::route(const Board& board) const { return evaluator_->route(board); }

int SageSource::pinned_network(const Board& root) const {
  return evaluator_->route(root) == sage::kSnakeNetwork ? sage::kSnakeNetwork : kOwnNetwork;
}

bool SageSource::exact(const Board& board) const { return bearoff_ == Bearoff::kUse && evaluator_->covered(board); }

template <typename NetworkOf>
void SageSource::evaluate_grouped(std::span<const Board> boards, NetworkOf&& network_of, const Board& unmoved,
                                  std::span<Probabilities> out, Scratch& scratch) const {
  auto& s = static_cast<SageScratch&>(scratch);
  const std::size_t count = boards.size();
  s.networks.resize(count);
  std::array<std::size_t, sage::kNetworks + 1> group_start{};
  for (std::size_t i = 0; i < count; ++i) {
    const Board& board = boards[i];
    s.networks[i] = kKnown;
    if (exact(board)) {
      out[i] = evaluator_->bearoff_post_move(board);
    } else if (const int result = game_result(board); result != 0) {
      out[i] = terminal_probabilities(result);
    } else {
      const int network = network_of(board);
      s.networks[i] = static_cast<std::int8_t>(network);
      ++group_start[static_cast<std::size_t>(network) + 1];
    }
  }
  for (std::size_t n = 1; n < group_start.size(); ++n) group_start[n] += group_start[n - 1];
  const std::size_t open = group_start.back();
  s.order.resize(open);
  s.grouped.resize(open);
  s.values.resize(open);
  std::array<std::size_t, sage::kNetworks> next{};
  for (std::size_t n = 0; n < next.size(); ++n) next[n] = group_start[n];
  for (std::size_t i = 0; i < count; ++i) {
    if (s.networks[i] == kKnown) continue;
    const std::size_t at = next[static_cast<std::size_t>(s.networks[i])]++;
    s.order[at] = i;
    s.grouped[at] = boards[i];
  }
  for (std::size_t n = 0; n < sage::kNetworks; ++n) {
    const std::size_t begin = group_start[n];
    const std::size_t size = group_start[n + 1] - begin;
    if (size == 0) continue;
    evaluator_->evaluate(std::span(s.grouped).subspan(begin, size), static_cast<int>(n),
                         std::span(s.values).subspan(begin, size), s.workspace, &unmoved);
  }
  for (std::size_t k = 0; k < open; ++k) out[s.order[k]] = s.values[k];
}

void SageSource::evaluate(std::span<const Board> boards, int network, const Board& unmoved,
                          std::span<Probabilities> out, Scratch& scratch) const {
  if (network == kOwnNetwork) {
    evaluate_grouped(
        boards, [this](const Board& board) { return evaluator_->route(board); }, unmoved, out, scratch);
  } else {
    evaluate_grouped(boards, [network](const Board&) { return network; }, unmoved, out, scratch);
  }
}

void SageSource::evaluate_pinned(std::span<const Board> boards, int pinned, const Board& unmoved,
                                 std::span<Probabilities> out, Scratch& scratch) const {
  if (pinned == kOwnNetwork) {
    evaluate(boards, kOwnNetwork, unmoved, out, scratch);
    return;
  }
  evaluate_grouped(
      boards, [pinned](const Board& board) { return is_race(board) ? sage::kRaceNetwork : pinned; }, unmoved,
      out, scratch);
}

Probabilities SageSource::clamped(const Probabilities& p, const Board& board) const {
  return sage::clamped(p, board);
}

Probabilities SageSource::nested(const Probabilities& p) const { return sage::nested(p); }

Probabilities SageSource::exact_pre_roll(const Board& board) const {
  return evaluator_->bearoff_pre_roll(board);
}

double SageSource::rough_value(const Board& post_move, bool race_before) const {
  return sage::pubeval(post_move, race_before);
}

}  // namespace botd
