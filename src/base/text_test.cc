#include "base/text.h"

#include <gtest/gtest.h>

#include <array>

#include "base/error.h"

namespace trireme {
namespace {

std::string message_of(std::string_view text, std::int64_t min, std::int64_t max) {
  try {
    (void)parse_integer(text, "--workers", min, max);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Text, GroupsDigitsByThree) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(-123456), "-123,456");
  EXPECT_EQ(with_commas(INT64_MAX), "9,223,372,036,854,775,807");
}

TEST(Text, CountsWithTheRightNumberOfTheNoun) {
  EXPECT_EQ(counted(1, "message"), "1 message");
  EXPECT_EQ(counted(0, "message"), "0 messages");
  EXPECT_EQ(counted(1998000, "message"), "1,998,000 messages");
}

TEST(Text, SaysBytesInSiUnits) {
  EXPECT_EQ(bytes_in_words(1), "1 byte");
  EXPECT_EQ(bytes_in_words(999), "999 bytes");
  EXPECT_EQ(bytes_in_words(1000), "1 kB");
  EXPECT_EQ(bytes_in_words(999'499), "999 kB");
  EXPECT_EQ(bytes_in_words(999'500), "1 MB");
  EXPECT_EQ(bytes_in_words(1'234'000'000), "1.23 GB");
  EXPECT_EQ(bytes_in_words(INT64_MAX), "9.22 EB");
  EXPECT_EQ(bytes_in_words(4'200, 5'600'000), "0.0042 MB");
  EXPECT_EQ(bytes_in_words(16, 5'600'000'000), "0.000000016 GB");
  EXPECT_EQ(bytes_in_words(16, 999), "16 bytes");
}

TEST(Text, ReadsWholeNumbersInTheirRange) {
  EXPECT_EQ(parse_integer("4", "--workers", 1, 9), 4);
  EXPECT_EQ(parse_integer("+4", "--workers", 1, 9), 4);
  EXPECT_EQ(parse_integer("-4", "--workers", -9, 9), -4);
  EXPECT_EQ(parse_integer("9223372036854775807", "--parameters", 0, INT64_MAX), INT64_MAX);
}

TEST(Text, ReadsDigitsGroupedByThree) {
  EXPECT_EQ(parse_integer("25,000,000", "--parameters", 0, INT64_MAX), 25'000'000);
  EXPECT_EQ(parse_integer("25_000_000", "--parameters", 0, INT64_MAX), 25'000'000);
  EXPECT_EQ(parse_integer("-1,000", "--parameters", -9999, 0), -1000);
}

TEST(Text, RefusesWhatIsNoWholeNumberAndSaysWhatIsRight) {
  for (const std::string_view text :
       {"",       "abc",    "4x",     "1.5",       "0x10", " 4", "+",     "-",      "+-4",   "1,5",   ",000",
        "1,000,", "1,,000", "1000,0", "1,000_000", "_",    ",",  "1,00a", "1,000.", "-,000", "1,0000"}) {
    EXPECT_NE(message_of(text, -9, 9).find("is not a whole number; give one from -9 to 9"), std::string::npos)
        << text;
  }
  EXPECT_EQ(message_of("0", 1, 1000), "--workers: 0 is out of range; give a number from 1 to 1,000");
  EXPECT_EQ(message_of("-3", 1, 1000), "--workers: -3 is out of range; give a number from 1 to 1,000");
  EXPECT_NE(message_of("9223372036854775808", 0, INT64_MAX).find("out of range"), std::string::npos);
}

TEST(Text, ReadsWholeNumbersWithAnExponent) {
  EXPECT_EQ(parse_integer("11e6", "--parameters", 0, INT64_MAX), 11'000'000);
  EXPECT_EQ(parse_integer("1.5E+3", "--parameters", 0, INT64_MAX), 1500);
  EXPECT_EQ(parse_integer("-2e1", "--parameters", -99, 0), -20);
  EXPECT_EQ(parse_integer("1e18", "--parameters", 0, INT64_MAX), 1'000'000'000'000'000'000);
  for (const std::string text : {"2e9", "1e18", "1e19", "1e300", "-1e300"}) {
    EXPECT_EQ(message_of(text, 0, 9), "--workers: " + text + " is out of range; give a number from 0 to 9");
  }
  for (const std::string_view text : {"1.25e1", "1e-1", "1e", "e6", "1e6x", "1.e3x", "1.2.3e4", "1e1.5"}) {
    EXPECT_NE(message_of(text, 0, 9).find("is not a whole number; give one from 0 to 9"), std::string::npos)
        << text;
  }
}

TEST(Text, ReadsFiniteNumbersThatAreTheWholeText) {
  EXPECT_EQ(finite_number("17"), 17);
  EXPECT_EQ(finite_number("+0.5"), 0.5);
  EXPECT_EQ(finite_number("-1e-3"), -0.001);
  for (const char* text : {"", "+", "+-1", "1x", " 1", "1e999", "inf", "nan"}) {
    EXPECT_FALSE(finite_number(text)) << text;
  }
}

TEST(Text, AsksToWriteOutWhatIsAbbreviated) {
  for (const std::string_view text : {"25M", "1.5k"}) {
    EXPECT_EQ(message_of(text, 0, INT64_MAX),
              "--workers: '" + std::string(text) + "' is not a whole number; write it out, like 25000000");
  }
}

TEST(Text, SuggestsTheNearestWordOnlyWhenItIsNear) {
  constexpr std::array<std::string_view, 3> kKnown{"ring", "tree", "parameter-server"};
  EXPECT_EQ(nearest("rnig", kKnown), "ring");
  EXPECT_EQ(nearest("param", kKnown), "parameter-server");
  EXPECT_EQ(nearest("parameter_server", kKnown), "parameter-server");
  EXPECT_EQ(nearest("RING", kKnown), "ring");
  EXPECT_EQ(nearest("Param", kKnown), "parameter-server");
  EXPECT_EQ(nearest("zebra", kKnown), "");
  EXPECT_EQ(nearest("", kKnown), "");
}

TEST(Text, SplitsAndTrimsKeepingEmptyParts) {
  EXPECT_EQ(split(" a, b,,c\r", ','), (std::vector<std::string_view>{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), std::vector<std::string_view>{""});
}

TEST(Text, ShowsQuestionMarksForWhatATerminalShouldNotGet) {
  EXPECT_EQ(printable("Zoë → 雪 😀"), "Zoë → 雪 😀");
  EXPECT_EQ(printable("\x1b[31mA\x7f\t"), "?[31mA??");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("\xc2\x9b"), "??");                           // a control character beyond ASCII
  EXPECT_EQ(printable("A\xff\xc3"), "A??");                         // never UTF-8; truncated
  EXPECT_EQ(printable("\xc0\xaf\xe0\x80\xaf"), "?????");            // overlong encodings
  EXPECT_EQ(printable("\xed\xa0\x80\xf4\x90\x80\x80"), "???????");  // surrogates; beyond the last code point
}

TEST(Text, CountsCodePointsAsColumns) {
  EXPECT_EQ(width("2n(n−1)"), 7U);
  EXPECT_EQ(width("⌈lg n⌉"), 6U);
}

}  // namespace
}  // namespace trireme
