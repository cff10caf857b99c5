#include "sim/scenario/quantity_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "base/error.h"
#include "config/key_types.h"

namespace trireme::sim {
namespace {

using ::testing::HasSubstr;

// A setting as it is read from a file.
config::Setting filed(const std::string& value) {
  return config::read_toml("[network]\nlatency = " + value + "\n", "job.toml").at(1);
}

config::Setting quoted(const std::string& value) { return filed("\"" + value + "\""); }

config::Setting typed(const std::string& value) {
  return config::read_typed("network.latency", value, "--set");
}

Picoseconds span(const std::string& text) { return TimeSpan{}.read(quoted(text)); }

double rate(const std::string& text) { return ByteRate{}.read(quoted(text)); }

template <typename Type>
std::string refusal(const Type& type, const config::Setting& setting) {
  try {
    (void)type.read(setting);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    EXPECT_FALSE(error.failure().hint.empty());
    return error.what();
  }
  return "accepted";
}

TEST(TimeSpan, HasAUnit) {
  EXPECT_EQ(span("3 ps"), 3);
  EXPECT_EQ(span("10 ns"), 10 * kNanosecond);
  EXPECT_EQ(span("25 us"), 25 * kMicrosecond);
  EXPECT_EQ(span("500ms"), 500 * kMillisecond);
  EXPECT_EQ(span("1.5 s"), 1500 * kMillisecond);
  EXPECT_EQ(span(" 2 min "), 120 * kSecond);
  EXPECT_EQ(span("1 h"), 3600 * kSecond);
  EXPECT_EQ(span("+.5 s"), 500 * kMillisecond);
  EXPECT_EQ(span("0 s"), 0);
  EXPECT_EQ(TimeSpan{}.read(typed("25us")), 25 * kMicrosecond);
}

TEST(TimeSpan, TakesEitherLetterForMicro) {
  EXPECT_EQ(span("25 \u00b5s"), 25 * kMicrosecond);
  EXPECT_EQ(span("25 \u03bcs"), 25 * kMicrosecond);
}

TEST(TimeSpan, IsExact) {
  EXPECT_EQ(span("0.15 s"), 150'000'000'000);
  EXPECT_EQ(span("0.1 s"), 100'000'000'000);
  EXPECT_EQ(span("0.000000000001 s"), 1);
  EXPECT_EQ(span("9223372.036854775807 s"), INT64_MAX);
  EXPECT_EQ(span("4503599.627370496001 s"), 4'503'599'627'370'496'001);
}

TEST(TimeSpan, IsRoundedToTheNearestPicosecond) {
  EXPECT_EQ(span("0.4999 ps"), 0);
  EXPECT_EQ(span("0.5 ps"), 1);
  EXPECT_EQ(span("1.4999 ps"), 1);
  EXPECT_EQ(span("0.000000000000000001 h"), 0);
  EXPECT_EQ(span("0.000000000000000139 h"), 1);
}

TEST(TimeSpan, IsRefusedWithoutAUnit) {
  const std::string expected =
      "job.toml:2: network.latency must have a unit, such as \"25 us\"; the units are ps, ns, us, ms, s, min "
      "and h";
  EXPECT_EQ(refusal(TimeSpan{}, quoted("25")), expected);
  EXPECT_EQ(refusal(TimeSpan{}, filed("25")), expected);
  EXPECT_EQ(refusal(TimeSpan{}, filed("0.5")), expected);
  EXPECT_THAT(refusal(TimeSpan{}, typed("25")), HasSubstr("--set network.latency must have a unit"));
}

TEST(TimeSpan, IsNeitherNegativeNorTooLong) {
  EXPECT_EQ(refusal(TimeSpan{}, quoted("-1 s")),
            "job.toml:2: network.latency: '-1 s' is negative; give 0 s or more");
  for (const char* text : {"9223372.036854775808 s", "2563 h", "1000000000000000000 h",
                           "99999999999999999999999999999999999999999 ps"})
    EXPECT_THAT(refusal(TimeSpan{}, quoted(text)), HasSubstr("is too long; give at most 2,562 h"));
}

TEST(TimeSpan, MayHaveAnExponent) {
  EXPECT_EQ(TimeSpan{}.read(quoted("1e3 us")), kMillisecond);
  EXPECT_EQ(TimeSpan{}.read(quoted("1.5E+3us")), 1500 * kMicrosecond);
  EXPECT_EQ(TimeSpan{}.read(quoted("25e-3 s")), 25 * kMillisecond);
  EXPECT_EQ(ByteRate{}.read(quoted("1e3 MB/s")), 1e9);
}

TEST(TimeSpan, IsADecimalAndAKnownUnit) {
  for (const char* text : {"", "s", "soon", ".", ". s", "1.2.3 s", "+-1 s"})
    EXPECT_THAT(refusal(TimeSpan{}, quoted(text)), HasSubstr("is not a time; write it like \"25 us\""));
  EXPECT_EQ(
      refusal(TimeSpan{}, quoted("25 sec")),
      "job.toml:2: network.latency: there is no unit 'sec'; the units are ps, ns, us, ms, s, min and h");
  EXPECT_THAT(refusal(TimeSpan{}, quoted("1e s")), HasSubstr("there is no unit 'e s'"));
  EXPECT_THAT(refusal(TimeSpan{}, quoted("1e30 s")), HasSubstr("is too long"));
  EXPECT_THAT(refusal(TimeSpan{}, quoted("0.1234567890123456789 s")), HasSubstr("more than 18 digits"));
  EXPECT_THAT(refusal(TimeSpan{}, filed("true")), HasSubstr("is a boolean, and must be a time with a unit"));
}

TEST(TimeSpan, IsPrintedAsPeopleWriteIt) {
  EXPECT_EQ(TimeSpan{}.print(0), "\"0 s\"");
  EXPECT_EQ(TimeSpan{}.print(25 * kMicrosecond), "\"25 us\"");
  EXPECT_EQ(TimeSpan{}.print(1500 * kMillisecond), "\"1.5 s\"");
  EXPECT_EQ(TimeSpan{}.print(kSecond + 1), "\"1.000000000001 s\"");
}

RC_GTEST_PROP(TimeSpan, IsReadBackAsItWasPrinted, ()) {
  const Picoseconds value =
      *rc::gen::inRange<Picoseconds>(0, INT64_MAX) >> *rc::gen::inRange<std::int32_t>(0, 63);
  RC_ASSERT(TimeSpan{}.read(filed(TimeSpan{}.print(value))) == value);
}

TEST(ByteRate, IsOfBitsOrOfBytes) {
  EXPECT_EQ(rate("10 Gbit/s"), 1.25e9);
  EXPECT_EQ(rate("100 Mbit/s"), 12.5e6);
  EXPECT_EQ(rate("8 bit/s"), 1);
  EXPECT_EQ(rate("12.5 GB/s"), 12.5e9);
  EXPECT_EQ(rate("800MB/s"), 800e6);
  EXPECT_EQ(rate("1 GiB/s"), 1073741824);
  EXPECT_EQ(rate("5 kB/s"), 5000);
  EXPECT_EQ(rate("1e9 B/s"), 1e9);
  EXPECT_EQ(ByteRate{}.read(typed("10Gbit/s")), 1.25e9);
}

TEST(ByteRate, IsRefusedWithoutAUnit) {
  const std::string expected =
      "job.toml:2: network.latency must have a unit, such as \"10 Gbit/s\"; bits are bit/s, Mbit/s, Gbit/s; "
      "bytes are B/s, MB/s, GB/s, GiB/s";
  EXPECT_EQ(refusal(ByteRate{}, quoted("10")), expected);
  EXPECT_EQ(refusal(ByteRate{}, filed("10")), expected);
  EXPECT_EQ(refusal(ByteRate{}, filed("1e9")), expected);
}

TEST(ByteRate, IsMoreThanNoneAndFinite) {
  for (const char* text : {"0 GB/s", "-1 GB/s", "-0 B/s", "inf B/s", "nan B/s", "1e308 TB/s", "1e999 B/s"})
    EXPECT_THAT(refusal(ByteRate{}, quoted(text)), HasSubstr("is out of range; give more than 0"));
}

TEST(ByteRate, IsANumberAndAKnownUnit) {
  for (const char* text : {"", "GB/s", "fast"})
    EXPECT_THAT(refusal(ByteRate{}, quoted(text)),
                HasSubstr("is not a rate; write bits like \"10 Gbit/s\" or bytes like \"1.25 GB/s\""));
  EXPECT_EQ(refusal(ByteRate{}, quoted("10 Gbps")),
            "job.toml:2: network.latency: there is no unit 'Gbps'; write bits like \"10 Gbit/s\" or bytes "
            "like \"1.25 GB/s\"");
}

TEST(ByteRate, IsPrintedAsPeopleWriteIt) {
  EXPECT_EQ(ByteRate{}.print(1.25e9), "\"1.25 GB/s\"");
  EXPECT_EQ(ByteRate{}.print(20e9), "\"20 GB/s\"");
  EXPECT_EQ(ByteRate{}.print(999), "\"999 B/s\"");
  EXPECT_EQ(ByteRate{}.print(0.5), "\"0.5 B/s\"");
}

RC_GTEST_PROP(ByteRate, IsReadBackAsItWasPrinted, ()) {
  const double value = std::ldexp(static_cast<double>(*rc::gen::inRange<std::int64_t>(1, 1LL << 53)),
                                  *rc::gen::inRange<std::int32_t>(-900, 900));
  RC_ASSERT(ByteRate{}.read(filed(ByteRate{}.print(value))) == value);
}

TEST(ByteRate, MayBeAWordThatStandsForNone) {
  const config::OrWord<ByteRate> type{"unlimited"};
  EXPECT_EQ(type.read(quoted("unlimited")), 0);
  EXPECT_EQ(type.read(quoted("1 B/s")), 1);
  EXPECT_EQ(type.print(0), "\"unlimited\"");
  EXPECT_EQ(type.print(1), "\"1 B/s\"");
  EXPECT_THAT(refusal(type, quoted("0 B/s")), HasSubstr("out of range"));
}

TEST(ListOfTimeSpans, HasAUnitForEach) {
  const config::ListOf<TimeSpan> type{2, "[\"1 s\"]"};
  EXPECT_EQ(type.read(filed("[\"1 ps\", \"2 ns\"]")), (std::vector<Picoseconds>{1, 2000}));
  EXPECT_EQ(type.print({1, 2000}), "[\"1 ps\", \"2 ns\"]");
  EXPECT_THAT(refusal(type, filed("[\"1 ps\", 2]")), HasSubstr("network.latency must have a unit"));
  EXPECT_EQ(refusal(type, quoted("1 s")),
            "job.toml:2: network.latency is a string, and must be a list; write it like [\"1 s\"]");
  EXPECT_EQ(refusal(type, filed("[\"1 s\", \"1 s\", \"1 s\"]")),
            "job.toml:2: network.latency has 3 elements; give 0 to 2");
}

}  // namespace
}  // namespace trireme::sim
