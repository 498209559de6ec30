// A file that appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "bearoff/byte_sink.hpp"

namespace botd::bearoff {

// Written beside the final path under a name of its own, renamed over it by commit(), removed otherwise. What
// it replaces can only be a regular file, never a device, say. Throws std::filesystem::filesystem_error with
// the path and the system's reason (no space, no permission, ...).
class OutputFile final : public ByteSink {
 public:
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes) override;
  // The file takes its final name, when all of it is on the disk.
  void commit();

 private:
  void flush();
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;
  std::string temporary_;
  std::string buffer_;
  int fd_ = -1;
};

}  // namespace botd::bearoff
