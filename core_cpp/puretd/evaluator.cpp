#include "puretd/evaluator.hpp"

#include <algorithm>
#include <string>

#include "rules/errors.hpp"

namespace botd::puretd {
namespace {

const nets::NetworkFile& checked(const nets::NetworkFile& file, const std::filesystem::path& path) {
  const bool cubeful = file.kind == nets::NetworkKind::kCubefulEquity;
  const char* const encoding = cubeful ? "cubeful_perspective196" : "perspective196";
  const std::size_t inputs = cubeful ? kCubefulInputs : kBoardInputs;
  if (file.kind == nets::NetworkKind::kRoughEquity)
    throw DataError(path.string() + ": a network of kind rough_equity, expected one that values positions");
  if (file.encoding != encoding || file.inputs() != inputs)
    throw DataError(path.string() + ": inputs '" + file.encoding + "', expected '" + encoding + "', " +
                    std::to_string(inputs) + " of them");
  return file;
}

}  // namespace

std::shared_ptr<const Evaluator> Evaluator::load(const std::filesystem::path& path, nets::Arithmetic arithmetic,
                                                 CpuPath cpu_path) {
  return std::make_shared<const Evaluator>(nets::read_network(path), path, arithmetic, nets::dense_kernels(cpu_path));
}

Evaluator::Evaluator(const nets::NetworkFile& file, const std::filesystem::path& path, nets::Arithmetic arithmetic,
                     const nets::DenseKernels& kernels)
    : path_(path),
      kind_(file.kind),
      source_(file.source),
      licence_(file.licence),
      network_(checked(file, path), arithmetic, kernels) {}

void Evaluator::outputs(std::span<const Board> to_play, CubeOwner cube, Moment moment, std::span<float> outputs,
                        Workspace& workspace) const {
  const std::size_t stride = network_.input_stride();
  workspace.inputs.assign(to_play.size() * stride, 0);
  for (std::size_t i = 0; i < to_play.size(); ++i) {
    std::int16_t* const inputs = workspace.inputs.data() + i * stride;
    write_board_inputs(to_play[i], inputs);
    if (cubeful()) write_cube_inputs(cube, moment, inputs + kBoardInputs);
  }
  network_.evaluate(workspace.inputs, outputs, workspace.network);
}

void Evaluator::equities(std::span<const Board> to_play, CubeOwner cube, Moment moment, std::span<float> equities,
                         Workspace& workspace) const {
  if (!has_probabilities()) {
    outputs(to_play, cube, moment, equities, workspace);
    if (wins_only())
      for (float& value : equities) value = 2.0F * value - 1.0F;
    return;
  }
  workspace.outputs.resize(to_play.size() * network_.outputs());
  outputs(to_play, cube, moment, workspace.outputs, workspace);
  for (std::size_t i = 0; i < to_play.size(); ++i)
    equities[i] = cubeless_equity(consistent(workspace.outputs.data() + i * network_.outputs()));
}

void Evaluator::probabilities(std::span<const Board> to_play, std::span<Probabilities> values,
                              Workspace& workspace) const {
  workspace.outputs.resize(to_play.size() * network_.outputs());
  outputs(to_play, CubeOwner::kCentered, Moment::kDice, workspace.outputs, workspace);
  for (std::size_t i = 0; i < to_play.size(); ++i)
    values[i] = consistent(workspace.outputs.data() + i * network_.outputs());
}

Probabilities consistent(const float* outputs) {
  Probabilities p{outputs[0], outputs[1], outputs[2], outputs[3], outputs[4]};
  p.win_gammon = std::min(p.win_gammon, p.win);
  p.lose_gammon = std::min(p.lose_gammon, 1.0F - p.win);
  p.win_backgammon = std::min(p.win_backgammon, p.win_gammon);
  p.lose_backgammon = std::min(p.lose_backgammon, p.lose_gammon);
  return p;
}

}  // namespace botd::puretd
