#include "bindings/bindings.hpp"

namespace botd::bindings {

void bind_search(pybind11::module_& /*m*/) {}

}  // namespace botd::bindings
