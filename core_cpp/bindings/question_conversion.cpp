#include "bindings/question_conversion.hpp"

#include <pybind11/gil_safe_call_once.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "bindings/board_conversion.hpp"
#include "cube/match_equity.hpp"

namespace py = pybind11;

namespace botd::bindings {
namespace {

constexpr std::size_t kShown = 40;  // characters of a wrong value in a message

// Attributes of a GameContext; interned, so that looking them up compares pointers.
struct ContextNames {
  static py::object name(const char* text) {
    return py::reinterpret_steal<py::object>(PyUnicode_InternFromString(text));
  }
  py::object match_length = name("match_length");
  py::object score_player = name("score_player");
  py::object score_opponent = name("score_opponent");
  py::object cube_value = name("cube_value");
  py::object cube_owner = name("cube_owner");
  py::object crawford = name("crawford");
  py::object jacoby = name("jacoby");
  py::object beavers = name("beavers");
  py::object max_cube = name("max_cube");
  py::object scoring = name("scoring");
  py::object seat = name("seat");
};

const ContextNames& names() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<ContextNames> stored;
  return stored.call_once_and_store_result([] { return ContextNames{}; }).get_stored();
}

py::object attribute(py::handle object, const py::object& name) {
  auto value = py::reinterpret_steal<py::object>(PyObject_GetAttr(object.ptr(), name.ptr()));
  if (!value) throw py::error_already_set();
  return value;
}

std::string shown(py::handle value) {
  std::string text = py::repr(value);
  if (text.size() > kShown) text.resize(kShown);
  return text;
}

[[noreturn]] void refuse(const std::string& expected, const std::string& got) {
  throw std::invalid_argument(expected + ", got " + got);
}

// Nothing for what is no integer, or one beyond any sense.
std::optional<int> whole_number(py::handle value) {
  if (!PyLong_Check(value.ptr())) return std::nullopt;
  int overflow = 0;
  const long number = PyLong_AsLongAndOverflow(value.ptr(), &overflow);
  constexpr long kBeyond = 1'000'000;
  if (overflow != 0 || number < -kBeyond || number > kBeyond) return std::nullopt;
  return static_cast<int>(number);
}

bool truth(py::handle value) {
  const int result = PyObject_IsTrue(value.ptr());
  if (result < 0) throw py::error_already_set();
  return result != 0;
}

bool is_text(py::handle value, const char* text) {
  return PyUnicode_Check(value.ptr()) && PyUnicode_CompareWithASCIIString(value.ptr(), text) == 0;
}

bool power_of_two(int value) { return value >= 1 && (value & (value - 1)) == 0; }

int cube_value(py::handle given) {
  const std::optional<int> value = whole_number(given);
  if (!value || !power_of_two(*value) || *value > kMaxCube)
    refuse("cube: expected a power of two from 1 to " + std::to_string(kMaxCube), shown(given));
  return *value;
}

int match_length(py::handle given) {
  const std::optional<int> length = whole_number(given);
  if (!length || *length < 0 || *length > MatchEquityTable::kMaxAway)
    refuse("match length: expected 0 (money) to " + std::to_string(MatchEquityTable::kMaxAway), shown(given));
  return *length;
}

int max_cube(py::handle given, int value) {
  if (given.is_none()) return 0;
  const std::optional<int> most = whole_number(given);
  if (!most || *most < value || *most > kMaxCube || !power_of_two(*most)) {
    refuse("largest cube: expected a power of two from the cube's value (" + std::to_string(value) + ") to " +
               std::to_string(kMaxCube),
           shown(given));
  }
  return *most;
}

int score(py::handle given, int length) {
  const std::optional<int> points = whole_number(given);
  if (!points || *points < 0 || *points >= length) {
    refuse("score: expected 0 to " + std::to_string(length - 1) + " in a match to " + std::to_string(length),
           shown(given));
  }
  return *points;
}

CubeOwner cube_owner(py::handle given) {
  if (is_text(given, "centered")) return CubeOwner::kCentered;
  if (is_text(given, "player")) return CubeOwner::kOwn;
  if (is_text(given, "opponent")) return CubeOwner::kOpponent;
  refuse("cube owner: expected centered, player or opponent", shown(given));
}

Scoring scoring(py::handle given) {
  if (is_text(given, "standard")) return Scoring::kStandard;
  if (is_text(given, "bgammon")) return Scoring::kBgammon;
  refuse("scoring: expected standard or bgammon", shown(given));
}

std::uint8_t seat(py::handle given) {
  const std::optional<int> number = whole_number(given);
  if (!number || (*number != 0 && *number != 1)) refuse("seat: expected 0 or 1", shown(given));
  return static_cast<std::uint8_t>(*number);
}

const char* name_of(CubeOwner owner) {
  if (owner == CubeOwner::kCentered) return "centered";
  return owner == CubeOwner::kOwn ? "player" : "opponent";
}

void check_crawford(const CubeState& state) {
  if ((state.own_away == 1) == (state.opponent_away == 1)) {
    refuse("Crawford game: expected exactly one side to need one point",
           std::to_string(state.own_away) + " and " + std::to_string(state.opponent_away) + " points needed");
  }
  if (state.value != 1 || state.owner != CubeOwner::kCentered) {
    refuse("Crawford game: the cube is not in use",
           "it at " + std::to_string(state.value) + ", owner " + name_of(state.owner));
  }
}

}  // namespace

CubeState cube_state_from_python(py::handle context) {
  const ContextNames& n = names();
  CubeState state;
  state.value = cube_value(attribute(context, n.cube_value));
  const int length = match_length(attribute(context, n.match_length));
  state.max_value = max_cube(attribute(context, n.max_cube), state.value);
  const std::uint8_t own_seat = seat(attribute(context, n.seat));
  state.owner = cube_owner(attribute(context, n.cube_owner));
  state.scoring = scoring(attribute(context, n.scoring));
  const bool crawford = truth(attribute(context, n.crawford));
  if (length == 0) {
    if (crawford) throw std::invalid_argument("Crawford game: there is none in money play");
    if (state.scoring != Scoring::kStandard)
      throw std::invalid_argument("scoring: bgammon servers have matches only, expected a match");
    state.jacoby = truth(attribute(context, n.jacoby));
    state.beavers = truth(attribute(context, n.beavers));
    return state;
  }
  state.own_away = length - score(attribute(context, n.score_player), length);
  state.opponent_away = length - score(attribute(context, n.score_opponent), length);
  state.crawford = crawford;
  state.seat = own_seat;
  if (crawford) check_crawford(state);
  return state;
}

std::pair<int, int> dice_from_python(py::handle dice) {
  const auto pair = py::reinterpret_steal<py::object>(PySequence_Tuple(dice.ptr()));
  if (!pair) throw py::error_already_set();
  std::pair<int, int> numbers{0, 0};
  if (PyTuple_GET_SIZE(pair.ptr()) == 2) {
    const auto die = [&pair](Py_ssize_t i) {
      const py::handle item = PyTuple_GET_ITEM(pair.ptr(), i);
      return PyLong_CheckExact(item.ptr()) ? whole_number(item).value_or(0) : 0;
    };
    numbers = {die(0), die(1)};
  }
  const auto possible = [](int die) { return die >= 1 && die <= 6; };
  if (!possible(numbers.first) || !possible(numbers.second))
    refuse("dice: expected two integers from 1 to 6", shown(pair));
  return numbers;
}

Board board_from_iterable(const py::object& board) {
  return board_from_python(py::isinstance<py::sequence>(board) ? py::sequence(board)
                                                               : py::sequence(py::tuple(board)));
}

Deadline deadline_from_seconds(std::optional<double> seconds) {
  if (!seconds) return {};
  if (std::isnan(*seconds)) throw std::invalid_argument("deadline: expected a number of seconds, got nan");
  return Deadline(*seconds);
}

}  // namespace botd::bindings
