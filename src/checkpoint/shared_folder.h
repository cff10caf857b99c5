// Whether processes, perhaps on several hosts, see one and the same folder: one leaves a mark with a random
// token there, the others look for it. Equal paths prove nothing.
#pragma once

#include <cstdint>
#include <filesystem>

namespace trireme::checkpoint {

/// A file in the folder, which is removed at the end.
class Mark {
 public:
  /// Throws `Error` (kFailed) when the file cannot be written.
  explicit Mark(const std::filesystem::path& folder);
  ~Mark();
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  /// For the others, by whatever connects the processes.
  [[nodiscard]] std::uint64_t token() const { return token_; }

 private:
  std::uint64_t token_;
  std::filesystem::path file_;
};

/// Whether this process sees the mark.
[[nodiscard]] bool sees_mark(const std::filesystem::path& folder, std::uint64_t token);

}  // namespace trireme::checkpoint
