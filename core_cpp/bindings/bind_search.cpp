#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "cube/cube_state.hpp"
#include "cube/match_equity.hpp"

namespace botd::bindings {
namespace {

namespace py = pybind11;

CubeOwner to_owner(const std::string& name) {
  if (name == "centered") return CubeOwner::kCentered;
  if (name == "player") return CubeOwner::kOwn;
  if (name == "opponent") return CubeOwner::kOpponent;
  throw std::invalid_argument("cube owner: expected centered, player or opponent, got '" + name + "'");
}

}  // namespace

void bind_search(py::module_& m) {
  py::class_<MatchEquityTable>(m, "MatchEquityTable")
      .def(py::init([](const std::vector<std::vector<double>>& pre_crawford,
                       const std::vector<double>& post_crawford, bool derive_last) {
             std::vector<double> flat;
             for (const auto& row : pre_crawford) {
               if (row.size() != pre_crawford.size()) {
                 throw std::invalid_argument("match equity table: expected " + std::to_string(pre_crawford.size()) +
                                             " entries in every row, got " + std::to_string(row.size()));
               }
               flat.insert(flat.end(), row.begin(), row.end());
             }
             using Last = MatchEquityTable::LastPostCrawford;
             return MatchEquityTable(flat, post_crawford, derive_last ? Last::kDerive : Last::kUse);
           }),
           py::arg("pre_crawford"), py::arg("post_crawford"), py::kw_only(),
           py::arg("derive_last_post_crawford") = false)
      .def_property_readonly("explicit_length", &MatchEquityTable::explicit_length)
      .def("chances", &MatchEquityTable::chances, py::arg("away"), py::arg("opponent_away"),
           py::arg("post_crawford"));

  py::class_<CubeState>(m, "CubeState")
      .def(py::init([](int value, const std::string& owner, int own_away, int opponent_away, bool crawford,
                       bool jacoby, bool beavers) {
             return CubeState{value, to_owner(owner), own_away, opponent_away, crawford, jacoby, beavers, false};
           }),
           py::arg("value"), py::arg("owner"), py::arg("own_away") = 0, py::arg("opponent_away") = 0,
           py::kw_only(), py::arg("crawford") = false, py::arg("jacoby") = false, py::arg("beavers") = false)
      .def("other_side", [](const CubeState& state) { return other_side(state); })
      .def_property_readonly("may_double", [](const CubeState& state) { return may_double(state); });
}

}  // namespace botd::bindings
