// What the nodes of one job know and nobody else: the proof that a peer belongs to it.
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

  /// A new one, 32 random bytes, as 64 hexadecimal digits.
  [[nodiscard]] static Secret random();
  /// As it stands in an environment variable or a file: its characters are the key. Throws `Error` (bad
  /// input) when it is too short; `where` is named then ("TRIREME_SECRET"), never the secret itself.
  [[nodiscard]] static Secret of(std::string_view text, std::string_view where);
  /// The first line of a file. Throws `Error` (bad input) when it cannot be read, is too short, or others
  /// than its owner may read it.
  [[nodiscard]] static Secret read(const std::filesystem::path& file);

  /// For the environment of a process of the job.
  [[nodiscard]] const std::string& text() const { return text_; }

  /// HMAC-SHA-256.
  [[nodiscard]] Digest sign(std::span<const std::byte> message) const;
  /// In a time that does not depend on where they differ.
  [[nodiscard]] bool verify(std::span<const std::byte> message, const Digest& digest) const;

 private:
  explicit Secret(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

/// Nobody can foresee it.
[[nodiscard]] Secret::Digest random_nonce();

}  // namespace trireme::wire::rendezvous
