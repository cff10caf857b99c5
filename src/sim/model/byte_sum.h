// The bytes of all messages together, which may exceed 63 bits.
#pragma once

#include <cstdint>
#include <optional>

namespace trireme::sim {

class ByteSum {
 public:
  void add(std::int64_t bytes) { is_known_ = is_known_ && !__builtin_add_overflow(sum_, bytes, &sum_); }
  void multiply(std::int64_t times) { is_known_ = is_known_ && !__builtin_mul_overflow(sum_, times, &sum_); }

  /// Empty if there are too many bytes.
  [[nodiscard]] std::optional<std::int64_t> value() const {
    return is_known_ ? std::optional(sum_) : std::nullopt;
  }

 private:
  std::int64_t sum_ = 0;
  bool is_known_ = true;
};

}  // namespace trireme::sim
