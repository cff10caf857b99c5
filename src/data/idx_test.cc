#include "data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "data/data_test_util.h"
#include "data/gzip.h"

namespace trireme::data {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

IdxArray parse(const ByteString& bytes) { return read_idx(bytes_of_memory(bytes), "a.idx"); }

std::string refusal(const ByteString& bytes) {
  return refusal_of([&] { return parse(bytes); });
}

std::string refusal_to_read(const std::string& path) {
  return refusal_of([&] { return read_idx(path); });
}

TEST(Idx, HoldsOneToFourDimensions) {
  for (const std::vector<std::uint32_t>& dimensions :
       {std::vector<std::uint32_t>{24}, {4, 6}, {2, 3, 4}, {2, 3, 2, 2}, {1, 1, 1, 24}}) {
    const IdxArray array = parse(idx_bytes(dimensions, counting(24)));
    EXPECT_EQ(array.dimensions, (std::vector<std::int64_t>(dimensions.begin(), dimensions.end())));
    EXPECT_EQ(array.elements, counting(24));
  }
}

TEST(Idx, HasItsDimensionsHighestByteFirst) {
  const IdxArray array = parse(joined({0, 0, 8, 1, 0, 0, 1, 2}, counting(258)));
  EXPECT_EQ(array.dimensions, (std::vector<std::int64_t>{258}));
}

TEST(Idx, IsTheSamePlainAndCompressed) {
  const ScratchFolder folder;
  // More bytes than one block of any buffer involved.
  const ByteString bytes = idx_bytes({3000, 28, 28}, counting(3000 * 28 * 28));
  const IdxArray plain = read_idx(folder.write("images", as_text(bytes)));
  const IdxArray compressed = read_idx(folder.write("images.gz", as_text(gzip(bytes))));
  EXPECT_EQ(plain.dimensions, compressed.dimensions);
  EXPECT_EQ(plain.elements, counting(3000 * 28 * 28));
  EXPECT_EQ(plain.elements, compressed.elements);
}

TEST(Idx, ShorterThanItsMagicIsRefused) {
  EXPECT_EQ(refusal({}), "a.idx: the file holds 0 bytes, an idx file begins with 4; get the file again");
  EXPECT_EQ(refusal({0, 0, 8}),
            "a.idx: the file holds 3 bytes, an idx file begins with 4; get the file again");
}

TEST(Idx, WithAnotherMagicIsRefused) {
  EXPECT_EQ(
      refusal({0x89, 'P', 'N', 'G', 13}),
      "a.idx: the file begins with 89 50 4e 47, an idx file of unsigned bytes with 00 00 08; give the path "
      "of an idx file");
  EXPECT_THAT(refusal({0, 1, 8, 1, 0, 0, 0, 1, 7}), StartsWith("a.idx: the file begins with 00 01 08 01"));
}

TEST(Idx, OfOtherElementsThanUnsignedBytesIsRefused) {
  for (const std::uint8_t type : ByteString{0x00, 0x09, 0x0b, 0x0c, 0x0d, 0x0e, 0xff}) {
    EXPECT_THAT(refusal({0, 0, type, 1, 0, 0, 0, 1, 7}), HasSubstr("only unsigned bytes (0x08) can be read"));
  }
  EXPECT_EQ(refusal({0, 0, 0x0d, 1}),
            "a.idx: the elements are of type 0x0d, only unsigned bytes (0x08) can be read; convert them to "
            "unsigned "
            "bytes");
}

TEST(Idx, OfNoneOrTooManyDimensionsIsRefused) {
  EXPECT_EQ(
      refusal({0, 0, 8, 0, 1}),
      "a.idx: the array has 0 dimensions, 1 to 4 can be read; give the path of a file of images or labels");
  EXPECT_THAT(refusal(idx_bytes({1, 1, 1, 1, 1}, {7})), HasSubstr("the array has 5 dimensions, 1 to 4"));
  EXPECT_THAT(refusal({0, 0, 8, 255}), HasSubstr("the array has 255 dimensions"));
}

TEST(Idx, CutWithinItsHeaderIsRefused) {
  EXPECT_EQ(
      refusal({0, 0, 8, 3, 0, 0, 0, 1, 0, 0}),
      "a.idx: the file ends after 10 bytes, the header alone has 16 with 3 dimensions; get the file again");
}

TEST(Idx, WithADimensionOfZeroIsRefused) {
  EXPECT_EQ(
      refusal(idx_header({5, 0, 28})),
      "a.idx: the header announces 5 × 0 × 28 elements, which are none; give a file that holds something");
}

TEST(Idx, ThatAnnouncesTooMuchIsRefusedWithoutOverflow) {
  constexpr std::uint32_t kMost = 0xffffffff;
  for (const std::vector<std::uint32_t>& dimensions : {std::vector<std::uint32_t>{kMost, 2},
                                                       {kMost, kMost},
                                                       {kMost, kMost, kMost, kMost},
                                                       {0x80000000, 0x80000000, 4},
                                                       {1U << 16, 1U << 16, 1U << 16, 1U << 16}}) {
    EXPECT_THAT(refusal(idx_header(dimensions)), HasSubstr("more than the 4,294,967,296 that can be read"));
  }
  EXPECT_EQ(
      refusal(idx_header({kMost, 2})),
      "a.idx: the header announces 4,294,967,295 × 2 elements, more than the 4,294,967,296 that can be read; "
      "get the file again, or cut it into smaller ones");
}

TEST(Idx, CutWithinItsElementsIsRefused) {
  EXPECT_EQ(
      refusal(idx_bytes({2, 3}, counting(5))),
      "a.idx: the file ends after 17 bytes, the header announces 2 × 3 elements, which makes 18 bytes; get "
      "the file again");
  EXPECT_THAT(refusal(idx_header({60000, 28, 28})),
              HasSubstr("ends after 16 bytes, the header announces 60,000 × 28 × 28 elements, which makes "
                        "47,040,016 bytes"));
  // The end lies in a later block than the first.
  EXPECT_THAT(refusal(idx_bytes({4'000'000}, counting(3'999'999))), HasSubstr("ends after 4,000,007 bytes"));
}

TEST(Idx, ThatAnnouncesMuchAndHoldsLittleTakesLittleMemory) {
  EXPECT_THAT(refusal(idx_bytes({0xffffffff}, counting(5))),  // would be 4 GiB
              HasSubstr("ends after 13 bytes, the header announces 4,294,967,295 elements"));
}

TEST(Idx, ThatGoesOnBehindItsElementsIsRefused) {
  EXPECT_EQ(
      refusal(idx_bytes({2, 3}, counting(7))),
      "a.idx: the file holds 19 bytes, the header announces 2 × 3 elements, which makes 18 bytes; get the "
      "file again");
  EXPECT_THAT(refusal(idx_bytes({2, 3}, counting(100'006))), HasSubstr("the file holds 100,018 bytes"));
}

RC_GTEST_PROP(Idx, CutAnywhereIsRefused, ()) {
  const ByteString whole = idx_bytes({2, 3, 4}, counting(24));
  const auto length = *rc::gen::inRange<std::size_t>(0, whole.size());
  RC_ASSERT(refusal({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}) != "accepted");
}

TEST(IdxFile, ThatIsNotThereIsNamed) {
  EXPECT_EQ(refusal_to_read("no/such/file"),
            "cannot read no/such/file: No such file or directory; check that the path is right");
  EXPECT_THAT(refusal_to_read("no/such/file.gz"), StartsWith("cannot read no/such/file.gz: No such file"));
}

TEST(IdxFile, ThatDebianWouldHaveNamesItsPackage) {
  for (const char* name : {"/nothing-idx3-ubyte.gz", "//nothing", "/../fashion-mnist/nothing"}) {
    EXPECT_THAT(refusal_to_read(std::string(kFashionMnistFolder) + name),
                EndsWith("; install Debian's package dataset-fashion-mnist: sudo apt-get install "
                         "dataset-fashion-mnist"));
  }
}

TEST(IdxFile, ThatIsAFolderIsRefused) {
  EXPECT_EQ(refusal_to_read("/tmp"),
            "cannot read /tmp: Is a directory; check that it is a file and that you may read it");
}

// Opening it would wait for a writer.
TEST(IdxFile, ThatIsAPipeIsRefused) {
  const ScratchFolder folder;
  const std::string path = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(refusal_to_read(path), "cannot read " + path +
                                       ": a pipe, socket or device is not read; check that it is a file and "
                                       "that you may read it");
}

TEST(IdxFile, ThatMayNotBeReadIsRefused) {
  const ScratchFolder folder;
  const std::string path = folder.write("closed", {});
  std::filesystem::permissions(path, std::filesystem::perms::none);
  if (access(path.c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read everything";
  EXPECT_EQ(refusal_to_read(path),
            "cannot read " + path + ": Permission denied; check that it is a file and that you may read it");
}

TEST(IdxFile, ThatCannotBeReadToItsEndIsRefused) {
  EXPECT_THAT(refusal_to_read("/proc/self/mem"),
              StartsWith("cannot read /proc/self/mem: Input/output error; "));
}

TEST(IdxFile, ThatIsCompressedAgainstItsNameIsRefused) {
  const ScratchFolder folder;
  const std::string path = folder.write("images", as_text(gzip(idx_bytes({1}, {7}))));
  EXPECT_EQ(
      refusal_to_read(path),
      path + ": the file is compressed by gzip, but its name does not say so; rename it to " + path + ".gz");
}

TEST(IdxFile, ThatIsPlainAgainstItsNameIsRefused) {
  const ScratchFolder folder;
  const std::string path = folder.write("images.gz", as_text(idx_bytes({1}, {7})));
  EXPECT_EQ(refusal_to_read(path),
            path +
                " is not a gzip file (incorrect header check); take .gz from its name if it "
                "is not compressed, else get it again");
}

TEST(IdxFile, InGzipIsHeldToTheSameSizes) {
  const ScratchFolder folder;
  EXPECT_THAT(refusal_to_read(folder.write("short.gz", as_text(gzip(idx_bytes({2, 3}, counting(5)))))),
              HasSubstr("short.gz: the file ends after 17 bytes, the header announces 2 × 3 elements"));
  EXPECT_THAT(refusal_to_read(folder.write("long.gz", as_text(gzip(idx_bytes({2, 3}, counting(70'007)))))),
              HasSubstr("long.gz: the file holds 70,019 bytes, the header announces 2 × 3 elements"));
}

}  // namespace
}  // namespace trireme::data
