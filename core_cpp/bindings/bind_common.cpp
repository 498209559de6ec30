#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "common/cpu_path.hpp"
#include "rules/errors.hpp"

namespace py = pybind11;

namespace botd::bindings {

void bind_common(py::module_& m) {
  py::register_exception<DataError>(m, "DataError", PyExc_ValueError);

  m.def("cpu_paths", [] {
    std::vector<std::string> names;
    for (const CpuPath path : available_cpu_paths()) names.emplace_back(name(path));
    return names;
  });
}

}  // namespace botd::bindings
