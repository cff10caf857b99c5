#include "data/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "data/data_test_util.h"

namespace trireme::data {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ByteString all_of(const ByteSource& source, std::size_t piece = 1000) {
  ByteString bytes;
  ByteString block(piece);
  for (std::size_t found = piece; found == piece;) {
    found = source(block);
    bytes.insert(bytes.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(found));
  }
  return bytes;
}

ByteString unpacked(const ByteString& compressed, std::size_t piece = 1000) {
  return all_of(gunzipped(bytes_of_memory(compressed), "a.gz"), piece);
}

std::string refusal(const ByteString& compressed) {
  return refusal_of([&] { return unpacked(compressed); });
}

ByteString first_of(const ByteString& bytes, std::size_t count) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Bytes that do not compress, so that the compressed ones fill more than one block.
ByteString noise(std::size_t count) {
  ByteString bytes(count);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : bytes)
    byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

RC_GTEST_PROP(Gzip, GivesBackWhatWasCompressed, (const ByteString& bytes)) {
  const auto piece = *rc::gen::inRange<std::size_t>(1, 50);
  RC_ASSERT(unpacked(gzip(bytes), piece) == bytes);
}

TEST(Gzip, MayHoldNothing) { EXPECT_EQ(unpacked(gzip({})), ByteString{}); }

TEST(Gzip, MayBeLargerThanAnyBlock) {
  EXPECT_EQ(unpacked(gzip(noise(300'000))), noise(300'000));
  EXPECT_EQ(unpacked(gzip(noise(300'000)), 1'000'000), noise(300'000));
  EXPECT_EQ(unpacked(gzip(ByteString(5'000'000))), ByteString(5'000'000));
}

TEST(Gzip, MayEndWithABlock) {
  for (std::size_t size = 65'400; size < 65'600; ++size) ASSERT_EQ(unpacked(gzip(noise(size))).size(), size);
}

TEST(Gzip, MayBeSeveralFilesOneBehindTheOther) {
  const ByteString two = joined(gzip(counting(10)), gzip(counting(20)));
  EXPECT_EQ(unpacked(two), joined(counting(10), counting(20)));
  EXPECT_EQ(unpacked(joined(joined(gzip({}), two), gzip({}))), joined(counting(10), counting(20)));
}

TEST(Gzip, ThatIsEmptyIsRefused) {
  EXPECT_EQ(refusal({}), "a.gz is empty, not a gzip file; get the file again; gzip --test FILE checks it");
}

TEST(Gzip, ThatIsSomethingElseIsRefused) {
  EXPECT_EQ(refusal(counting(100)),
            "a.gz is not a gzip file (incorrect header check); take .gz from its name if it is not "
            "compressed, else "
            "get it again");
}

TEST(Gzip, CutAnywhereIsRefused) {
  const ByteString whole = gzip(counting(1000));
  for (std::size_t count = 1; count < whole.size(); ++count) {
    EXPECT_EQ(refusal(first_of(whole, count)), "a.gz ends in the middle of its gzip data, after " +
                                                   std::to_string(count) + (count == 1 ? " byte" : " bytes") +
                                                   "; get the file again; gzip --test FILE checks it");
  }
  EXPECT_THAT(refusal(first_of(gzip(noise(300'000)), 200'000)), HasSubstr("after 200,000 bytes"));
}

TEST(Gzip, WithAChangedBitInItsDataIsRefused) {
  const ByteString whole = gzip(noise(1000));
  for (std::size_t at = 10; at < whole.size(); ++at) {  // after the header
    ByteString changed = whole;
    changed[at] ^= 1;
    EXPECT_NE(refusal(changed), "accepted") << "byte " << at;
  }
  ByteString changed = whole;
  changed[changed.size() - 6] ^= 1;
  EXPECT_THAT(refusal(changed), StartsWith("a.gz is damaged: incorrect data check before byte "));
}

TEST(Gzip, FollowedBySomethingElseIsRefused) {
  EXPECT_EQ(
      refusal(joined(gzip(counting(10)), counting(50))),
      "a.gz goes on behind its gzip data with something else (incorrect header check); get the file again; "
      "gzip --test FILE checks it");
}

TEST(Gzip, IsToldByTheName) {
  EXPECT_TRUE(is_gzip_name("folder/a.gz"));
  EXPECT_FALSE(is_gzip_name("folder.gz/a"));
}

}  // namespace
}  // namespace trireme::data
