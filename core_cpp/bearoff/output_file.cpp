#include "bearoff/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace botd::bearoff {
namespace {

constexpr std::size_t kBufferSize = 1 << 20;

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)), temporary_(path_.string() + ".XXXXXX") {
  fd_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd_ < 0) {
    const int error = errno;
    temporary_.clear();
    errno = error;
    fail("cannot be created");
  }
  buffer_.reserve(kBufferSize);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::span<const std::byte> bytes) {
  buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (buffer_.size() >= kBufferSize) flush();
}

void OutputFile::commit() {
  flush();
  const mode_t mask = ::umask(0);  // there is no other way to learn it
  ::umask(mask);
  if (::fchmod(fd_, 0666 & ~mask) != 0 || ::fsync(fd_) != 0) fail("cannot be written");
  if (::close(std::exchange(fd_, -1)) != 0) fail("cannot be written");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be replaced");
  temporary_.clear();
}

void OutputFile::flush() {
  const char* at = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = ::write(fd_, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written");
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void OutputFile::fail(const char* what) const {
  throw std::filesystem::filesystem_error(what, path_, std::error_code(errno, std::generic_category()));
}

}  // namespace botd::bearoff
