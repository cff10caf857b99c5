#include "base/duration.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace trireme {
namespace {

using namespace std::chrono_literals;

std::string refusal(std::string_view text) {
  try {
    (void)parse_duration(text, "--timeout");
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    return error.what();
  }
  return "accepted";
}

TEST(Duration, IsReadWithOrWithoutASpaceBeforeItsUnit) {
  EXPECT_EQ(parse_duration("60s", "--timeout"), 60s);
  EXPECT_EQ(parse_duration("60 s", "--timeout"), 60s);
  EXPECT_EQ(parse_duration(" 60s ", "--timeout"), 60s);
  EXPECT_EQ(parse_duration("500ms", "--timeout"), 500ms);
  EXPECT_EQ(parse_duration("2 min", "--timeout"), 2min);
  EXPECT_EQ(parse_duration("1h", "--timeout"), 1h);
}

TEST(Duration, MayHaveAFraction) {
  EXPECT_EQ(parse_duration("1.5 s", "--timeout"), 1500ms);
  EXPECT_EQ(parse_duration("0.1", "--timeout"), 100ms);
  EXPECT_EQ(parse_duration("0.25ms", "--timeout"), 250us);
  EXPECT_EQ(parse_duration(".5", "--timeout"), 500ms);
}

TEST(Duration, WithoutAUnitIsSeconds) {
  EXPECT_EQ(parse_duration("60", "--timeout"), 60s);
  EXPECT_EQ(parse_duration("+60", "--timeout"), 60s);
}

TEST(Duration, ThatIsNoneIsRefusedByTheNameOfItsFlag) {
  for (const std::string_view text : {"", " ", "abc", "60 parsec", "s", "1.2.3s", ".", "-", "1e3", "inf",
                                      "nan", "0x10", "60s60", "1,5s", "--5"}) {
    EXPECT_EQ(refusal(text), "--timeout: '" + std::string(text) +
                                 "' is not a time; give one like 60s, 1.5s, 500ms, 2min or 1h");
  }
}

TEST(Duration, OfNothingOrLessIsRefused) {
  for (const std::string_view text : {"0", "0s", "-1s", "-0", "0.0000000001s"}) {
    EXPECT_EQ(refusal(text), "--timeout: " + std::string(text) +
                                 " is too short; give more than 0, like 60s, 1.5s, 500ms, 2min or 1h");
  }
}

TEST(Duration, OfManyLivesIsRefused) {
  EXPECT_EQ(parse_duration("2500000h", "--timeout"), 2500000h);
  EXPECT_EQ(refusal("9000000h"), "--timeout: 9000000h is too long; give at most 2,500,000h");
  EXPECT_EQ(refusal(std::string(400, '9')).substr(0, 14), "--timeout: 999");
}

TEST(Duration, IsSaidInTheUnitThatFits) {
  EXPECT_EQ(in_words(60s), "60 s");
  EXPECT_EQ(in_words(1500ms), "1.5 s");
  EXPECT_EQ(in_words(500ms), "500 ms");
  EXPECT_EQ(in_words(20us), "20 µs");
  EXPECT_EQ(in_words(7ns), "7 ns");
  EXPECT_EQ(in_words(0ns), "0 ns");
  EXPECT_EQ(in_words(1h), "3600 s");
  EXPECT_EQ(in_words(1234567us), "1.235 s");
}

TEST(Duration, InSecondsIsExactAndReadBack) {
  EXPECT_EQ(in_seconds(60s), "60");
  EXPECT_EQ(in_seconds(1500ms), "1.5");
  EXPECT_EQ(in_seconds(1ns), "0.000000001");
  EXPECT_EQ(in_seconds(0ns), "0");
  EXPECT_EQ(in_seconds(-1500ms), "-1.5");
  for (const std::chrono::nanoseconds duration : {1ns, 20'001ns, 1'500'000'000ns, 3'600'000'000'001ns}) {
    EXPECT_EQ(parse_duration(in_seconds(duration), "TRIREME_TIMEOUT"), duration);
  }
}

}  // namespace
}  // namespace trireme
