#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/bindings.hpp"
#include "fast/prune_inputs.hpp"
#include "fast/prune_net.hpp"
#include "rules/board.hpp"
#include "search/sage_source.hpp"
#include "training/sibling_sets.hpp"

namespace botd::bindings {
namespace {

namespace py = pybind11;

// Numbers as they lie in memory, for numpy.frombuffer: the extension itself needs no numpy.
template <typename T>
py::bytes to_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

py::dict sibling_sets(const std::shared_ptr<sage::Evaluator>& evaluator, std::uint64_t seed, std::size_t sets) {
  training::SiblingSets result;
  {
    const py::gil_scoped_release release;
    result = training::self_played_sets(SageSource(evaluator), seed, sets);
  }
  py::dict out;
  out["unmoved"] = to_bytes(result.unmoved);
  out["network"] = to_bytes(result.network);
  out["size"] = to_bytes(result.size);
  out["boards"] = to_bytes(result.boards);
  out["cubeless"] = to_bytes(result.cubeless);
  out["cubeful"] = to_bytes(result.cubeful);
  return out;
}

// Boards of 26 numbers each, as in SiblingSets; every one is checked.
std::vector<Board> boards_from_bytes(const std::string_view bytes) {
  std::vector<Board> boards(bytes.size() / sizeof(Board));
  if (boards.size() * sizeof(Board) != bytes.size())
    throw std::invalid_argument("boards: " + std::to_string(bytes.size()) + " bytes, expected a multiple of 26");
  if (!boards.empty()) std::memcpy(boards.data(), bytes.data(), bytes.size());
  for (std::size_t i = 0; i < boards.size(); ++i)
    if (const char* error = board_error(boards[i]))
      throw std::invalid_argument("board " + std::to_string(i) + ": " + error);
  return boards;
}

py::bytes inputs(const py::bytes& board_bytes) {
  const std::vector<Board> boards = boards_from_bytes(board_bytes);
  std::vector<float> values(boards.size() * fast::kPruneInputs);
  {
    const py::gil_scoped_release release;
    for (std::size_t i = 0; i < boards.size(); ++i) fast::prune_inputs(boards[i], values.data() + i * fast::kPruneInputs);
  }
  return to_bytes(values);
}

std::shared_ptr<fast::PruneNet> load_prune_net(const std::filesystem::path& file,
                                               const std::optional<std::string>& cpu_path) {
  const CpuPath path = cpu_path ? cpu_path_from_name(*cpu_path) : best_cpu_path();
  const py::gil_scoped_release release;
  return std::const_pointer_cast<fast::PruneNet>(fast::PruneNet::load(file, path));
}

// Rough values of sets of siblings: `sizes` says how many boards belong to each unmoved board.
py::bytes evaluate(const fast::PruneNet& net, const py::bytes& board_bytes, const py::bytes& unmoved_bytes,
                   const std::vector<std::size_t>& sizes) {
  const std::vector<Board> boards = boards_from_bytes(board_bytes);
  const std::vector<Board> unmoved = boards_from_bytes(unmoved_bytes);
  if (unmoved.size() != sizes.size() || std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) != boards.size())
    throw std::invalid_argument("sizes: expected one for each unmoved board, their sum the number of boards");
  std::vector<float> values(boards.size());
  {
    const py::gil_scoped_release release;
    fast::PruneNet::Workspace workspace;
    std::size_t first = 0;
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      net.evaluate(std::span(boards).subspan(first, sizes[s]), unmoved[s], std::span(values).subspan(first, sizes[s]),
                   workspace);
      first += sizes[s];
    }
  }
  return to_bytes(values);
}

}  // namespace

void bind_training(py::module_& m) {
  m.def("sage_sibling_sets", &sibling_sets, py::arg("evaluator"), py::arg("seed"), py::arg("sets"));
  m.attr("PRUNE_ENCODING") = fast::kPruneEncoding;
  m.attr("PRUNE_INPUTS") = fast::kPruneInputs;
  m.attr("PRUNE_MAX_HIDDEN") = fast::PruneNet::kMaxHidden;
  m.def("prune_inputs", &inputs, py::arg("boards"));
  py::class_<fast::PruneNet, std::shared_ptr<fast::PruneNet>>(m, "PruneNet")
      .def_static("load", &load_prune_net, py::arg("file"), py::arg("cpu_path") = py::none())
      .def_property_readonly("cpu_path", [](const fast::PruneNet& net) { return name(net.cpu_path()); })
      .def_property_readonly("hidden", &fast::PruneNet::hidden)
      .def("evaluate", &evaluate, py::arg("boards"), py::arg("unmoved"), py::arg("sizes"));
}

}  // namespace botd::bindings
