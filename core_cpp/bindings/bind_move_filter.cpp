#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/bindings.hpp"
#include "search/move_filter.hpp"

namespace botd::bindings {
namespace {

namespace py = pybind11;
using StageTuple = std::tuple<int, int, double>;

MoveFilter from_rows(const std::vector<std::vector<StageTuple>>& rows) {
  std::vector<std::vector<FilterStage>> stages;
  for (const auto& row : rows) {
    auto& converted = stages.emplace_back();
    for (const auto& [accept, extra, threshold] : row) converted.push_back({accept, extra, threshold});
  }
  return MoveFilter(stages);
}

FilterTable to_table(const std::string& name) {
  if (name == "A") return FilterTable::kA;
  if (name == "B") return FilterTable::kB;
  throw std::invalid_argument("filter table: expected A or B, got '" + name + "'");
}

}  // namespace

void bind_move_filter(py::module_& m) {
  py::class_<MoveFilter>(m, "MoveFilter")
      .def(py::init(&from_rows), py::arg("rows"))
      .def_static(
          "named",
          [](const std::string& name, const std::string& table) {
            return MoveFilter::named(name, to_table(table));
          },
          py::arg("name"), py::arg("table"))
      .def(
          "stages",
          [](const MoveFilter& self, int ply) {
            std::vector<StageTuple> stages;
            for (const FilterStage& s : self.stages(ply)) stages.emplace_back(s.accept, s.extra, s.threshold);
            return stages;
          },
          py::arg("ply"))
      .def("__eq__", [](const MoveFilter& self, const MoveFilter& other) { return self == other; });
  m.def("move_filter_names", [] {
    const auto names = MoveFilter::names();
    return std::vector<std::string>(names.begin(), names.end());
  });
}

}  // namespace botd::bindings
