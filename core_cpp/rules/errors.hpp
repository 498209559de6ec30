// Errors that reach Python as exception classes of their own.
#pragma once

#include <stdexcept>

namespace botd {

// A data file (weights, database, table) is missing, unreadable or damaged. The text names the file, the
// place in it where that helps, and what was expected. In Python: botd._core.DataError, a ValueError.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A kind of game that an evaluator knows nothing about; the text says which it knows. In Python:
// botd._core.UnsupportedGame, a ValueError.
class UnsupportedGame : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace botd
