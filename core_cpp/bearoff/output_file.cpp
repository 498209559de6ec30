#include "bearoff/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace botd::bearoff {
namespace {

constexpr std::size_t kBufferSize = 1 << 20;
constexpr int kMostTries = 100;  // names that others of this process use, or left

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code none;
  const auto status = std::filesystem::status(path_, none);
  if (std::filesystem::is_directory(status)) fail("cannot be replaced", EISDIR);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail("cannot be replaced", EEXIST);
  for (int tries = 0; fd_ < 0; ++tries) {
    const std::string name =
        path_.string() + '.' + std::to_string(::getpid()) + '-' + std::to_string(tries) + ".tmp";
    fd_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0) {
      temporary_ = name;
    } else if (errno != EEXIST || tries == kMostTries) {
      fail("cannot be created", errno);
    }
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
  if (::fsync(fd_) != 0) fail("cannot be written", errno);
  if (::close(std::exchange(fd_, -1)) != 0) fail("cannot be written", errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be replaced", errno);
  temporary_.clear();
}

void OutputFile::flush() {
  const char* at = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = ::write(fd_, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written", errno);
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void OutputFile::fail(const char* what, int error) const {
  throw std::filesystem::filesystem_error(what, path_, std::error_code(error, std::generic_category()));
}

}  // namespace botd::bearoff
