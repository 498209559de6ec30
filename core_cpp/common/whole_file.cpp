#include "common/whole_file.hpp"

#include <cstddef>
#include <fstream>
#include <ios>
#include <system_error>

#include "rules/errors.hpp"

namespace botd {

std::string read_whole_file(const std::filesystem::path& path, std::uintmax_t most_bytes,
                            const std::string& expected) {
  const auto failed = [&](const std::string& why) {
    return DataError(path.string() + ": " + why + ", expected " + expected);
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) throw failed("no such file");
  if (error) throw failed(error.message());
  if (!std::filesystem::is_regular_file(status)) throw failed("not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw failed(error.message());
  if (size > most_bytes) throw failed(std::to_string(size) + " bytes are too many");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw failed("cannot be opened for reading");
  std::string content(static_cast<std::size_t>(size), '\0');
  file.read(content.data(), static_cast<std::streamsize>(size));
  if (file.gcount() != static_cast<std::streamsize>(size))
    throw failed("reading ended at offset " + std::to_string(file.gcount()));
  return content;
}

}  // namespace botd
