#include <pybind11/gil_safe_call_once.h>
#include <pybind11/stl.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/bindings.hpp"
#include "common/cpu_path.hpp"
#include "rules/errors.hpp"

namespace py = pybind11;

namespace botd::bindings {
namespace {

PYBIND11_CONSTINIT py::gil_safe_call_once_and_store<py::object> data_error;

// One line, whatever a file's name holds: control characters are escaped, and bytes that are no UTF-8 are kept as
// Python keeps them in names of files.
py::object message_of(std::string_view what) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string line;
  for (const char c : what) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F)
      line += c;
    else
      line.append("\\x").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
  }
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeFSDefaultAndSize(line.data(), static_cast<Py_ssize_t>(line.size())));
}

}  // namespace

void bind_common(py::module_& m) {
  data_error.call_once_and_store_result([&] { return py::exception<DataError>(m, "DataError", PyExc_ValueError); });
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const DataError& error) {
      if (const py::object message = message_of(error.what()))
        PyErr_SetObject(data_error.get_stored().ptr(), message.ptr());
    }
  });

  py::register_exception<UnsupportedGame>(m, "UnsupportedGame", PyExc_ValueError);

  m.def("cpu_paths", [] {
    std::vector<std::string> names;
    for (const CpuPath path : available_cpu_paths()) names.emplace_back(name(path));
    return names;
  });
}

}  // namespace botd::bindings
