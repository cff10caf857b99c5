// Checks proofs with the vectors of RFC 4231, and which secrets are accepted.
#include "wire/rendezvous/secret.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.h"

namespace trireme::wire::rendezvous {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string hex(const Secret::Digest& digest) {
  std::string text;
  for (const std::byte byte : digest) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

Secret::Digest sign(const std::string& key, const std::string& message) {
  return Secret::of(key, "a test").sign(std::as_bytes(std::span(message)));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    return error.what();
  }
  ADD_FAILURE() << "should have failed";
  return {};
}

class ASecretFile : public ::testing::Test {
 protected:
  void write(const std::string& text, mode_t mode) const {
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), mode);
  }
  ~ASecretFile() override { std::filesystem::remove(path_); }

  const std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                      fmt::format("trireme-secret-{}", hex(random_nonce()).substr(0, 16));
};

// Cases 2 and 5 have keys or digests of other lengths than ours.
TEST(ADigest, IsThatOfRfc4231Case1) {
  EXPECT_EQ(hex(sign(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
}

TEST(ADigest, IsThatOfRfc4231Case3) {
  EXPECT_EQ(hex(sign(std::string(20, '\xaa'), std::string(50, '\xdd'))),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
}

TEST(ADigest, IsThatOfRfc4231Case4) {
  std::string key;
  for (char c = 1; c <= 25; ++c) key += c;
  EXPECT_EQ(hex(sign(key, std::string(50, '\xcd'))),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
}

TEST(ADigest, IsThatOfRfc4231Case6WithAKeyLongerThanABlock) {
  EXPECT_EQ(hex(sign(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(ADigest, IsThatOfRfc4231Case7WithALongMessage) {
  EXPECT_EQ(hex(sign(std::string(131, '\xaa'),
                     "This is a test using a larger than block-size key and a larger than block-size data. "
                     "The key needs to be hashed before being used by the HMAC algorithm.")),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST(ADigest, IsTakenOnlyWhole) {
  const Secret secret = Secret::random();
  const std::string message = "who goes there";
  const std::span<const std::byte> bytes = std::as_bytes(std::span(message));
  const Secret::Digest digest = secret.sign(bytes);
  EXPECT_TRUE(secret.verify(bytes, digest));
  for (std::size_t i = 0; i < digest.size(); ++i) {
    Secret::Digest wrong = digest;
    wrong[i] ^= std::byte{1};
    EXPECT_FALSE(secret.verify(bytes, wrong)) << i;
  }
  EXPECT_FALSE(secret.verify(bytes.first(3), digest));
  EXPECT_FALSE(Secret::random().verify(bytes, digest));
}

TEST(ARandomSecret, Is64DigitsAndNeverTheSame) {
  const Secret secret = Secret::random();
  EXPECT_EQ(secret.text().size(), 64U);
  EXPECT_EQ(secret.text().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(secret.text(), Secret::random().text());
}

TEST(AShortSecret, IsRefusedWithoutBeingShown) {
  const std::string message = message_of([] { (void)Secret::of("hunter2", "TRIREME_SECRET"); });
  EXPECT_THAT(message, HasSubstr("TRIREME_SECRET has 7 characters; at least 16"));
  EXPECT_THAT(message, Not(HasSubstr("hunter2")));
}

TEST_F(ASecretFile, GivesItsFirstLine) {
  write("0123456789abcdef\r\nanything else\n", 0600);
  EXPECT_EQ(Secret::read(path_).text(), "0123456789abcdef");
}

TEST_F(ASecretFile, MayNotBeReadByOthers) {
  for (const mode_t mode : {0640U, 0604U, 0644U, 0660U}) {
    write("0123456789abcdef\n", mode);
    EXPECT_THAT(message_of([&] { (void)Secret::read(path_); }),
                HasSubstr("umask 077; openssl rand -hex 32 >FILE"));
  }
}

TEST_F(ASecretFile, MustBeThere) {
  EXPECT_THAT(message_of([&] { (void)Secret::read(path_); }), HasSubstr(path_.string()));
}

TEST_F(ASecretFile, MustBeAFile) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(message_of([&] { (void)Secret::read(path_); }), HasSubstr("not a file"));
}

TEST_F(ASecretFile, MustHoldEnough) {
  write("short\n", 0600);
  EXPECT_THAT(message_of([&] { (void)Secret::read(path_); }), HasSubstr("has 5 characters"));
}

}  // namespace
}  // namespace trireme::wire::rendezvous
