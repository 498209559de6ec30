#include "bearoff/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "rules/errors.hpp"

namespace botd::bearoff {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

MappedFile::MappedFile(std::filesystem::path path, const std::string& expected) : path_(std::move(path)) {
  const auto refuse = [&](const std::string& found) {
    throw DataError(path_.string() + ": " + found + ", expected " + expected);
  };
  // Not waiting for a writer, should it be a pipe.
  const Descriptor file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) refuse(errno == ENOENT ? "no such file" : reason(errno));
  struct stat status{};
  if (::fstat(file.fd, &status) != 0) refuse(reason(errno));
  if (S_ISDIR(status.st_mode)) refuse("a folder");
  if (!S_ISREG(status.st_mode)) refuse("not a regular file");
  if (status.st_size == 0) refuse("an empty file");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd, 0);
  if (memory == MAP_FAILED) refuse("cannot be mapped into memory (" + reason(errno) + ")");
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

MappedFile::~MappedFile() { unmap(); }

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    path_ = std::move(other.path_);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

void MappedFile::unmap() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace botd::bearoff
