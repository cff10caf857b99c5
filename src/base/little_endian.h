// Numbers as bytes, the lowest first, whatever the machine: for what goes to other hosts.
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
    for (const std::byte byte : bytes) bytes_.push_back(byte);  // GCC 12 warns of an insert, wrongly
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads no further than the bytes go: what is not there is zero or empty, and from then on `ok` is false.
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
  /// All was there, and nothing is left over.
  [[nodiscard]] bool at_end() const { return ok_ && rest_.empty(); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace trireme
