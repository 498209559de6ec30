#include "sage/data_file.hpp"

#include <fstream>
#include <string>
#include <system_error>

#include "rules/errors.hpp"

namespace botd::sage {

std::vector<std::byte> read_data_file(const std::filesystem::path& path, std::size_t size) {
  const std::string expected = ", expected a file of " + std::to_string(size) + " bytes";
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw DataError(path.string() + ": no such file" + expected);
  if (!std::filesystem::is_regular_file(status)) throw DataError(path.string() + ": not a regular file" + expected);
  const std::uintmax_t found = std::filesystem::file_size(path, error);
  if (error) throw DataError(path.string() + ": " + error.message() + expected);
  if (found != size) throw DataError(path.string() + ": " + std::to_string(found) + " bytes" + expected);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(path.string() + ": cannot be opened for reading" + expected);
  std::vector<std::byte> bytes(size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (file.gcount() != static_cast<std::streamsize>(size))
    throw DataError(path.string() + ": reading ended at offset " + std::to_string(file.gcount()) + expected);
  return bytes;
}

}  // namespace botd::sage
