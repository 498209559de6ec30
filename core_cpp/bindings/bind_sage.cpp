#include "bindings/bindings.hpp"

namespace botd::bindings {

void bind_sage(pybind11::module_& /*m*/) {}

}  // namespace botd::bindings
