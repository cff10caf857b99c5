#include "wire/rendezvous/secret.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/system/fd.h"

namespace trireme::wire::rendezvous {
namespace {

constexpr const char* kHowToMake = "make one with: openssl rand -hex 32";
constexpr const char* kHowToMakeFile = "make another: (umask 077; openssl rand -hex 32 >FILE)";

const unsigned char* as_chars(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

// Refuses files that could block, like a pipe, and files that others can read.
void require_private_file(const Fd& fd, const std::string& name) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) throw_errno("look at the secret in " + name);
  if (!S_ISREG(status.st_mode)) {
    throw bad_input(fmt::format("the secret cannot be read from {}: it is not a file", name), kHowToMake);
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw bad_input(fmt::format("the secret in {} is open to others than its owner (mode {:04o})", name,
                                status.st_mode & 07777U),
                    kHowToMakeFile);
  }
}

std::string first_line(const Fd& fd, const std::string& name) {
  std::array<char, 4096> buffer{};
  const ssize_t count = read_some(fd.get(), buffer);
  if (count < 0) throw_errno("read the secret in " + name);
  std::string_view line(buffer.data(), static_cast<std::size_t>(count));
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return std::string(line);
}

}  // namespace

Secret Secret::random() {
  std::string text;
  for (const std::byte byte : random_nonce()) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return Secret(std::move(text));
}

Secret Secret::of(std::string_view text, std::string_view where) {
  if (text.size() < kLeastCharacters) {
    throw bad_input(fmt::format("the secret in {} has {} characters; at least {} are needed", where,
                                text.size(), kLeastCharacters),
                    kHowToMake);
  }
  return Secret(std::string(text));
}

Secret Secret::read(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw_errno("read the secret in " + file.string(), "look at the path");
  const Fd owned = own(fd, "open one more file");
  require_private_file(owned, file.string());
  return of(first_line(owned, file.string()), file.string());
}

Secret::Digest Secret::sign(std::span<const std::byte> message) const {
  Digest digest{};
  unsigned length = 0;
  const unsigned char* result =
      ::HMAC(EVP_sha256(), text_.data(), static_cast<int>(text_.size()), as_chars(message.data()),
             message.size(), reinterpret_cast<unsigned char*>(digest.data()), &length);
  if (result == nullptr || length != digest.size()) throw bad_input("OpenSSL cannot compute HMAC-SHA-256");
  return digest;
}

bool Secret::verify(std::span<const std::byte> message, const Digest& digest) const {
  const Digest expected = sign(message);
  return ::CRYPTO_memcmp(expected.data(), digest.data(), digest.size()) == 0;
}

Secret::Digest random_nonce() {
  Secret::Digest nonce{};
  if (::RAND_bytes(reinterpret_cast<unsigned char*>(nonce.data()), static_cast<int>(nonce.size())) != 1) {
    throw bad_input("OpenSSL has no random numbers");
  }
  return nonce;
}

}  // namespace trireme::wire::rendezvous
