#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/bindings.hpp"
#include "nets/network_file.hpp"

namespace py = pybind11;

namespace botd::bindings {
namespace {

py::bytes float_bytes(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

py::tuple network_tuple(const nets::NetworkFile& file) {
  py::list layers;
  for (const nets::DenseLayer& layer : file.layers)
    layers.append(py::make_tuple(layer.inputs, layer.outputs, float_bytes(layer.weights), float_bytes(layer.biases)));
  return py::make_tuple(nets::name(file.kind), file.encoding, layers, file.source, file.licence);
}

}  // namespace

void bind_nets(py::module_& m) {
  m.def(
      "parse_network",
      [](const py::bytes& content, const std::string& name) {
        const std::string_view view = content;
        nets::NetworkFile file;
        {
          const py::gil_scoped_release release;
          file = nets::parse_network(view, name);
        }
        return network_tuple(file);
      },
      py::arg("content"), py::arg("name"));
  m.def(
      "read_network",
      [](const std::filesystem::path& path) {
        nets::NetworkFile file;
        {
          const py::gil_scoped_release release;
          file = nets::read_network(path);
        }
        return network_tuple(file);
      },
      py::arg("path"));
  m.attr("LARGEST_NETWORK_FILE") = nets::kLargestNetworkFile;
}

}  // namespace botd::bindings
