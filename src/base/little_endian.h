// Numbers as bytes, lowest byte first on every machine: for data that goes to other hosts.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trireme {

class ByteWriter {
 public:
  template <std::unsigned_integral Number>
  void put(Number number) {
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
      bytes_.push_back(static_cast<std::byte>((static_cast<std::uint64_t>(number) >> (8 * i)) & 0xff));
    }
  }
  void put(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) bytes_.push_back(byte);  // GCC 12 wrongly warns about an insert
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Never reads past the end: a missing value is zero or empty, and `ok` is false from then on.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <std::unsigned_integral Number>
  [[nodiscard]] Number get() {
    std::uint64_t number = 0;
    const std::span<const std::byte> bytes = get_bytes(sizeof(Number));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      number |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    }
    return static_cast<Number>(number);
  }
  [[nodiscard]] std::span<const std::byte> get_bytes(std::size_t count) {
    ok_ = ok_ && count <= rest_.size();
    if (!ok_) return {};
    const std::span<const std::byte> bytes = rest_.first(count);
    rest_ = rest_.subspan(count);
    return bytes;
  }

  [[nodiscard]] bool ok() const { return ok_; }
  /// True if everything could be read and nothing is left over.
  [[nodiscard]] bool at_end() const { return ok_ && rest_.empty(); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace trireme
