#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bearoff/checksum.hpp"
#include "bearoff/databases.hpp"
#include "bearoff/generate.hpp"
#include "bearoff/index.hpp"
#include "bearoff/one_sided.hpp"
#include "bearoff/two_sided.hpp"
#include "bindings/bindings.hpp"
#include "bindings/board_conversion.hpp"

namespace py = pybind11;

namespace botd::bindings {
namespace {

using bearoff::Databases;
using bearoff::Distribution;
using bearoff::OneSidedDatabase;
using bearoff::OneSidedShape;
using bearoff::TwoSidedDatabase;
using bearoff::TwoSidedShape;

void check_range(const char* what, int value, int least, int most) {
  if (value < least || value > most)
    throw py::value_error(std::string(what) + ": expected " + std::to_string(least) + " to " +
                          std::to_string(most) + ", got " + std::to_string(value));
}

void check_index(std::uint32_t index, std::uint32_t positions) {
  if (index >= positions)
    throw py::index_error("position " + std::to_string(index) + ": expected a number below " +
                          std::to_string(positions));
}

std::uint32_t position_index(const std::vector<int>& counts) {
  check_range("points", static_cast<int>(counts.size()), 1, bearoff::kMaxPoints);
  int total = 0;
  for (const int count : counts) {
    check_range("checkers on a point", count, 0, kCheckers);
    total += count;
  }
  check_range("checkers", total, 0, kCheckers);
  return bearoff::position_index(counts);
}

std::vector<int> counts_of(std::uint32_t index, int points) {
  check_range("points", points, 1, bearoff::kMaxPoints);
  check_index(index, bearoff::position_count(points, kCheckers));
  const bearoff::Counts counts = bearoff::counts_of(index, points);
  return {counts.begin(), counts.begin() + points};
}

std::uint32_t position_count(int points, int checkers) {
  check_range("points", points, 1, bearoff::kMaxPoints);
  check_range("checkers", checkers, 0, kCheckers);
  return bearoff::position_count(points, checkers);
}

Distribution all_off(const OneSidedDatabase& database, std::uint32_t index) {
  check_index(index, database.positions());
  Distribution out;
  database.all_off(index, out);
  return out;
}

Distribution first_off(const OneSidedDatabase& database, std::uint32_t index) {
  check_index(index, database.positions());
  if (!database.has_gammons())
    throw py::value_error(database.path().string() + ": has no distributions of the first checker");
  Distribution out;
  database.first_off(index, out);
  return out;
}

py::tuple equities_tuple(const bearoff::TwoSidedEquities& e) {
  return py::make_tuple(e.cubeless, e.owned, e.centered, e.opponent);
}

py::tuple equities(const TwoSidedDatabase& database, std::uint32_t own, std::uint32_t opponent) {
  check_index(own, database.positions());
  check_index(opponent, database.positions());
  return equities_tuple(database.at(own, opponent));
}

Databases databases(const std::optional<std::filesystem::path>& one_sided,
                    const std::optional<std::filesystem::path>& two_sided) {
  const py::gil_scoped_release release;
  return Databases::open(one_sided.value_or(std::filesystem::path{}),
                         two_sided.value_or(std::filesystem::path{}));
}

py::object probabilities(const std::optional<Probabilities>& p) {
  if (!p) return py::none();
  return py::make_tuple(p->win, p->win_gammon, p->win_backgammon, p->lose_gammon, p->lose_backgammon);
}

// The callback stops the work by raising, and so does Ctrl-C.
bearoff::WorkOptions work_options(int threads, const std::optional<py::function>& progress) {
  bearoff::WorkOptions options;
  options.threads = threads;
  options.progress = [&progress](double done) {
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (progress) (*progress)(done);
    return true;
  };
  return options;
}

template <class Shape>
void generate(const Shape& shape, const std::filesystem::path& path, int threads,
              const std::optional<py::function>& progress) {
  const bearoff::WorkOptions options = work_options(threads, progress);
  const py::gil_scoped_release release;
  bearoff::generate(shape, path, options);
}

std::optional<std::uint64_t> first_difference(const std::filesystem::path& path, int threads,
                                              const std::optional<py::function>& progress) {
  const bearoff::WorkOptions options = work_options(threads, progress);
  const py::gil_scoped_release release;
  return bearoff::first_difference(bearoff::MappedFile(path, "a bear-off database"), options);
}

py::tuple shape_tuple(const bearoff::Shape& shape) {
  if (const auto* one = std::get_if<OneSidedShape>(&shape))
    return py::make_tuple("one-sided", one->points, one->checkers, one->gammons, one->compressed,
                          one->normal);
  const auto& two = std::get<TwoSidedShape>(shape);
  return py::make_tuple("two-sided", two.points, two.checkers, two.cubeful);
}

// Shared pointers to const are what open() gives; every method that is bound is const.
template <class Database>
std::shared_ptr<Database> open(const std::filesystem::path& path) {
  const py::gil_scoped_release release;
  return std::const_pointer_cast<Database>(Database::open(path));
}

}  // namespace

void bind_bearoff(py::module_& m) {
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const std::filesystem::filesystem_error& error) {
      errno = error.code().value();
      PyErr_SetFromErrnoWithFilename(PyExc_OSError, error.path1().c_str());
    }
  });

  m.attr("BEAROFF_MAX_POINTS") = bearoff::kMaxPoints;
  m.def("bearoff_position_count", &position_count, py::arg("points"), py::arg("checkers"));
  m.def("bearoff_position_index", &position_index, py::arg("counts"));
  m.def("bearoff_counts", &counts_of, py::arg("index"), py::arg("points"));

  py::class_<OneSidedDatabase, std::shared_ptr<OneSidedDatabase>>(m, "OneSidedDatabase")
      .def(py::init(&open<OneSidedDatabase>), py::arg("path"))
      .def_property_readonly("path", &OneSidedDatabase::path)
      .def_property_readonly("points", &OneSidedDatabase::points)
      .def_property_readonly("checkers", &OneSidedDatabase::checkers)
      .def_property_readonly("has_gammons", &OneSidedDatabase::has_gammons)
      .def_property_readonly("gammons", [](const OneSidedDatabase& d) { return d.shape().gammons; })
      .def_property_readonly("compressed", [](const OneSidedDatabase& d) { return d.shape().compressed; })
      .def_property_readonly("normal", [](const OneSidedDatabase& d) { return d.shape().normal; })
      .def_property_readonly("positions", &OneSidedDatabase::positions)
      .def("all_off", &all_off, py::arg("index"))
      .def("first_off", &first_off, py::arg("index"));

  py::class_<TwoSidedDatabase, std::shared_ptr<TwoSidedDatabase>>(m, "TwoSidedDatabase")
      .def(py::init(&open<TwoSidedDatabase>), py::arg("path"))
      .def_property_readonly("path", &TwoSidedDatabase::path)
      .def_property_readonly("points", &TwoSidedDatabase::points)
      .def_property_readonly("checkers", &TwoSidedDatabase::checkers)
      .def_property_readonly("cubeful", &TwoSidedDatabase::cubeful)
      .def_property_readonly("positions", &TwoSidedDatabase::positions)
      .def("equities", &equities, py::arg("own"), py::arg("opponent"));

  py::class_<Databases>(m, "BearoffDatabases")
      .def(py::init(&databases), py::arg("one_sided") = py::none(), py::arg("two_sided") = py::none())
      .def_property_readonly("files", &Databases::files)
      .def(
          "covers",
          [](const Databases& d, const py::sequence& board) {
            const Board b = board_from_python(board);
            return py::make_tuple(d.covers_one_sided(b), d.covers_two_sided(b));
          },
          py::arg("board"))
      .def(
          "on_roll",
          [](const Databases& d, const py::sequence& board) {
            return probabilities(d.on_roll(board_from_python(board)));
          },
          py::arg("board"))
      .def(
          "money",
          [](const Databases& d, const py::sequence& board) -> py::object {
            const auto e = d.money(board_from_python(board));
            return e ? equities_tuple(*e) : py::object(py::none());
          },
          py::arg("board"));

  m.def(
      "bearoff_shape",
      [](const std::filesystem::path& path) {
        return shape_tuple(bearoff::read_header(bearoff::MappedFile(path, "a bear-off database")));
      },
      py::arg("path"));
  m.def(
      "bearoff_is_standard",
      [](const std::filesystem::path& path) {
        const bearoff::MappedFile file(path, "a bear-off database");
        const std::string header =
            std::visit([](const auto& s) { return bearoff::header_text(s); }, bearoff::read_header(file));
        return bearoff::checksum(file.bytes()) == bearoff::standard_checksum(header);
      },
      py::arg("path"));
  m.def("bearoff_first_difference", &first_difference, py::arg("path"), py::arg("threads") = 1,
        py::arg("progress") = py::none());
  m.def(
      "generate_one_sided",
      [](const std::filesystem::path& path, int points, int checkers, bool gammons, bool compressed,
         int threads, const std::optional<py::function>& progress) {
        generate(OneSidedShape{points, checkers, gammons, compressed, false}, path, threads, progress);
      },
      py::arg("path"), py::arg("points") = 6, py::arg("checkers") = 15, py::arg("gammons") = true,
      py::arg("compressed") = true, py::arg("threads") = 1, py::arg("progress") = py::none());
  m.def(
      "generate_two_sided",
      [](const std::filesystem::path& path, int points, int checkers, bool cubeful, int threads,
         const std::optional<py::function>& progress) {
        generate(TwoSidedShape{points, checkers, cubeful}, path, threads, progress);
      },
      py::arg("path"), py::arg("points") = 6, py::arg("checkers") = 6, py::arg("cubeful") = true,
      py::arg("threads") = 1, py::arg("progress") = py::none());
}

}  // namespace botd::bindings
