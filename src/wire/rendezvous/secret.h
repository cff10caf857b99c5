// The secret that only the nodes of one job know: it proves that a peer belongs to the job.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace trireme::wire::rendezvous {

class Secret {
 public:
  static constexpr std::size_t kLeastCharacters = 16;
  using Digest = std::array<std::byte, 32>;

  /// A new secret: 32 random bytes, as 64 hexadecimal digits.
  [[nodiscard]] static Secret random();
  /// The text of an environment variable or a file: its characters are the key. Throws `Error` (bad input) if
  /// it is too short; the error names `where` ("TRIREME_SECRET"), never the secret itself.
  [[nodiscard]] static Secret of(std::string_view text, std::string_view where);
  /// The first line of a file. Throws `Error` (bad input) if the file cannot be read, is too short, or can be
  /// read by others than its owner.
  [[nodiscard]] static Secret read(const std::filesystem::path& file);

  /// For the environment of a process of the job.
  [[nodiscard]] const std::string& text() const { return text_; }

  /// HMAC-SHA-256.
  [[nodiscard]] Digest sign(std::span<const std::byte> message) const;
  /// Takes a time that does not depend on where the digests differ.
  [[nodiscard]] bool verify(std::span<const std::byte> message, const Digest& digest) const;

 private:
  explicit Secret(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

/// Unpredictable random bytes.
[[nodiscard]] Secret::Digest random_nonce();

}  // namespace trireme::wire::rendezvous
