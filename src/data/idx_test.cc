#include "data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "data/data_test_util.h"
#include "data/gzip.h"

namespace trireme::data {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

NumberArray parse(const ByteString& bytes) { return read_idx(bytes_of_memory(bytes), "a.idx"); }

std::string refusal(const ByteString& bytes) {
  return refusal_of([&] { return parse(bytes); });
}

std::string refusal_to_read(const std::string& path) {
  return refusal_of([&] { return read_idx(path); });
}

TEST(Idx, HoldsOneToFourDimensions) {
  for (const std::vector<std::uint32_t>& dimensions :
       {std::vector<std::uint32_t>{24}, {4, 6}, {2, 3, 4}, {2, 3, 2, 2}, {1, 1, 1, 24}}) {
    const NumberArray array = parse(idx_bytes(dimensions, counting(24)));
    EXPECT_EQ(array.dimensions, (std::vector<std::int64_t>(dimensions.begin(), dimensions.end())));
    EXPECT_EQ(array.elements, Numbers(counting(24)));
  }
}

TEST(Idx, HasItsDimensionsHighestByteFirst) {
  const NumberArray array = parse(joined({0, 0, 8, 1, 0, 0, 1, 2}, counting(258)));
  EXPECT_EQ(array.dimensions, (std::vector<std::int64_t>{258}));
}

TEST(Idx, IsTheSamePlainAndCompressed) {
  const ScratchFolder folder;
  // More bytes than one block of any buffer involved.
  const ByteString bytes = idx_bytes({3000, 28, 28}, counting(std::size_t{3000} * 28 * 28));
  const NumberArray plain = read_idx(folder.write("images", as_text(bytes)));
  const NumberArray compressed = read_idx(folder.write("images.gz", as_text(gzip(bytes))));
  EXPECT_EQ(plain.dimensions, compressed.dimensions);
  EXPECT_EQ(plain.elements, Numbers(counting(std::size_t{3000} * 28 * 28)));
  EXPECT_NE(plain.elements.file(), nullptr);
  EXPECT_EQ(plain.elements, compressed.elements);
}

TEST(Idx, ShorterThanItsMagicIsRefused) {
  EXPECT_EQ(refusal({}), "a.idx: the file holds 0 bytes, an idx file begins with 4; get the file again");
  EXPECT_EQ(refusal({0, 0, 8}),
            "a.idx: the file holds 3 bytes, an idx file begins with 4; get the file again");
}

TEST(Idx, WithAnotherMagicIsRefused) {
  EXPECT_EQ(refusal({0x89, 'P', 'N', 'G', 13}),
            "a.idx: the file begins with 89 50 4e 47, an idx file with 00 00; give the path of an "
            "idx file");
  EXPECT_THAT(refusal({0, 1, 8, 1, 0, 0, 0, 1, 7}), StartsWith("a.idx: the file begins with 00 01 08 01"));
}

TEST(Idx, OfOtherElementsThanNumbersIsRefused) {
  for (const std::uint8_t type : ByteString{0x00, 0x07, 0x0a, 0x0f, 0xff}) {
    EXPECT_THAT(refusal({0, 0, type, 1, 0, 0, 0, 1, 7}), HasSubstr("which idx files do not have"));
  }
  EXPECT_EQ(
      refusal({0, 0, 0x0a, 1}),
      "a.idx: the elements are of type 0x0a, which idx files do not have; write them as one of the types "
      "0x08, 0x09 and 0x0b to 0x0e");
}

template <typename Number>
void expect_idx_of(std::uint8_t code, const std::vector<Number>& numbers) {
  ByteString bytes = idx_header({static_cast<std::uint32_t>(numbers.size())});
  bytes[2] = code;
  for (const Number number : numbers) {
    ByteString one(sizeof number);
    std::memcpy(one.data(), &number, sizeof number);
    bytes.insert(bytes.end(), one.rbegin(), one.rend());  // this machine has the lowest byte first
  }
  const ScratchFolder folder;
  const NumberArray plain = read_idx(folder.write("a", as_text(bytes)));
  std::vector<double> read(numbers.size());
  plain.elements.read(0, read);
  RC_ASSERT(read == std::vector<double>(numbers.begin(), numbers.end()));
  RC_ASSERT(read_idx(folder.write("a.gz", as_text(gzip(bytes)))).elements == plain.elements);
  bytes.pop_back();
  RC_ASSERT(refusal(bytes) != "accepted");
}

RC_GTEST_PROP(Idx, HoldsNumbersOfEveryType, ()) {
  const auto some = [](auto example) {
    return *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<decltype(example)>>());
  };
  expect_idx_of(0x08, some(std::uint8_t{}));
  expect_idx_of(0x09, some(std::int8_t{}));
  expect_idx_of(0x0b, some(std::int16_t{}));
  expect_idx_of(0x0c, some(std::int32_t{}));
  expect_idx_of(0x0d, some(float{}));
  expect_idx_of(0x0e, some(double{}));
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
  for (const std::vector<std::uint32_t>& dimensions : {std::vector<std::uint32_t>{kMost, 1U << 10},
                                                       {kMost, kMost},
                                                       {kMost, kMost, kMost, kMost},
                                                       {0x80000000, 0x80000000, 4},
                                                       {1U << 16, 1U << 16, 1U << 16, 1U << 16}}) {
    EXPECT_THAT(refusal(idx_header(dimensions)),
                HasSubstr("more than the 1,099,511,627,776 that can be read"));
  }
  EXPECT_EQ(refusal(idx_header({kMost, 512})),
            "a.idx: the header announces 4,294,967,295 × 512 elements, more than the 1,099,511,627,776 that "
            "can be read; "
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
  EXPECT_THAT(refusal_of([] {
                const ByteSource source = bytes_of_file("/proc/self/mem");
                return read_idx(source, "mem");
              }),
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
