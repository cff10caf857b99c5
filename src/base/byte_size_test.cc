#include "base/byte_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace trireme {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

std::string refusal(std::string_view text) {
  try {
    return std::to_string(parse_bytes(text, "--max-bytes", 4, kMost));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ByteSize, IsReadWithAUnitOrWithout) {
  EXPECT_EQ(parse_bytes("65536", "", 0, kMost), 65536);
  EXPECT_EQ(parse_bytes("25e6", "", 0, kMost), 25'000'000);
  EXPECT_EQ(parse_bytes("1,000,000", "", 0, kMost), 1'000'000);
  EXPECT_EQ(parse_bytes("64KiB", "", 0, kMost), 65536);
  EXPECT_EQ(parse_bytes(" 1 MiB ", "", 0, kMost), 1 << 20);
  EXPECT_EQ(parse_bytes("4 kB", "", 0, kMost), 4000);
  EXPECT_EQ(parse_bytes("1.5 MB", "", 0, kMost), 1'500'000);
  for (int tenth = 0; tenth < 10; ++tenth) {
    EXPECT_EQ(parse_bytes("8." + std::to_string(tenth) + " GB", "", 0, kMost),
              8'000'000'000 + tenth * 100'000'000LL);
  }
  EXPECT_EQ(parse_bytes("1 TiB", "", 0, kMost), kMost);
  EXPECT_EQ(parse_bytes("0 B", "", 0, kMost), 0);
}

TEST(ByteSize, WithAnUnknownUnitIsRefusedWithTheUnits) {
  for (const char* text : {"1k", "1 mib", "1 Gbit", "1 KB"}) {
    EXPECT_THAT(refusal(text), testing::EndsWith("'; the units are B, kB, MB, GB, TB, KiB, MiB, GiB and TiB"))
        << text;
  }
}

TEST(ByteSize, ThatIsNoneIsRefused) {
  EXPECT_EQ(refusal("much"),
            "--max-bytes: 'much' is not a number of bytes; write it like 65536, 64 KiB or 1.5 MB");
  for (const char* text : {"", "MiB", "-1 MiB", "1e3 MiB", "1.2.3 MB", "0x10 kB", "nan MB", ". kB"}) {
    EXPECT_THAT(refusal(text), testing::HasSubstr("is not a")) << text;
  }
  EXPECT_EQ(refusal("5.5 B"), "--max-bytes: 5.5 B is not a whole number of bytes; round it");
}

TEST(ByteSize, OutOfRangeIsRefused) {
  EXPECT_EQ(refusal("2 TiB"), "--max-bytes: 2 TiB is out of range; give 4 to 1,099,511,627,776 bytes");
  EXPECT_THAT(refusal("3 B"), testing::HasSubstr("is out of range"));
  EXPECT_THAT(refusal(std::string(400, '9') + " kB"), testing::HasSubstr("is out of range"));
}

}  // namespace
}  // namespace trireme
