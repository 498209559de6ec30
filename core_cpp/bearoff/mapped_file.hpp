// A file seen as memory, read-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace botd::bearoff {

// All processes that map a file share one copy of it in memory. What maps a file relies on nobody changing it
// in place: replace it by renaming a new one over it, as package managers and our generators do.
class MappedFile {
 public:
  // Throws DataError, naming the path and `expected` ("a bear-off database"), unless the path is a regular
  // file that can be read and is not empty.
  MappedFile(std::filesystem::path path, const std::string& expected);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  // Little-endian numbers; the offset must lie inside.
  [[nodiscard]] std::uint16_t u16(std::size_t offset) const {
    return static_cast<std::uint16_t>(u8(offset) | u8(offset + 1) << 8);
  }
  [[nodiscard]] std::uint32_t u32(std::size_t offset) const {
    return u16(offset) | static_cast<std::uint32_t>(u16(offset + 2)) << 16;
  }
  [[nodiscard]] unsigned u8(std::size_t offset) const { return static_cast<unsigned>(bytes_[offset]); }

 private:
  void unmap();

  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace botd::bearoff
