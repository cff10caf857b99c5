#include "config/key_types.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace trireme::config {
namespace {

using namespace std::chrono_literals;

// A setting as it is read from a file.
Setting filed(const std::string& value) { return read_toml("[s]\nk = " + value + "\n", "job.toml").at(1); }

Setting typed(const std::string& value) { return read_typed("s.k", value, "--k"); }

template <typename Type>
std::string refusal(const Type& type, const Setting& setting) {
  try {
    (void)type.read(setting);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    EXPECT_FALSE(error.failure().hint.empty());
    return error.what();
  }
  return "accepted";
}

TEST(WholeNumber, IsWholeAndInItsRange) {
  const WholeNumber number{1, 10'000};
  EXPECT_EQ(number.read(filed("1")), 1);
  EXPECT_EQ(number.read(filed("10_000")), 10'000);
  EXPECT_EQ(refusal(number, filed("0")),
            "job.toml:2: s.k: 0 is out of range; give a number from 1 to 10,000");
  EXPECT_EQ(refusal(number, filed("10001")).substr(0, 38), "job.toml:2: s.k: 10001 is out of range");
}

TEST(WholeNumber, IsNeitherAStringNorAFloat) {
  EXPECT_EQ(refusal(WholeNumber{}, filed("\"3\"")),
            "job.toml:2: s.k is a string, and must be a whole number; write it without quotes and without a "
            "point");
  EXPECT_EQ(refusal(WholeNumber{}, filed("3.0")).substr(0, 55),
            "job.toml:2: s.k is a float, and must be a whole number;");
}

TEST(WholeNumber, MayBeTypedInGroups) {
  EXPECT_EQ(WholeNumber{}.read(typed("25,000")), 25'000);
  EXPECT_EQ(refusal(WholeNumber{0, 9}, typed("x")), "--k: 'x' is not a whole number; give one from 0 to 9");
  EXPECT_EQ(refusal(WholeNumber{0, 9}, typed("3.0")).substr(0, 32), "--k: '3.0' is not a whole number");
}

TEST(Number, IsFiniteAndInItsRange) {
  EXPECT_EQ((Number{0, 1}.read(filed("1"))), 1);
  EXPECT_EQ((Number{0, 1}.read(filed("1e-3"))), 0.001);
  EXPECT_EQ(refusal(Number{0, 1}, filed("1.5")),
            "job.toml:2: s.k: 1.5 is out of range; give a number from 0 to 1");
  EXPECT_EQ(refusal(Number{}, filed("-1")), "job.toml:2: s.k: -1 is out of range; give a number, at least 0");
  EXPECT_EQ(refusal(Number{}, read_assignment("s.k=1e400")),
            "--set s.k: 1e400 is out of range; give a number, at least 0");
  EXPECT_EQ(refusal(Number{}, filed("inf")).substr(0, 36), "job.toml:2: s.k: inf is out of range");
  EXPECT_EQ(refusal(Number{}, filed("nan")).substr(0, 36), "job.toml:2: s.k: nan is out of range");
  EXPECT_EQ(refusal(Number{}, filed("true")),
            "job.toml:2: s.k is a boolean, and must be a number; write it like 0.1 or 1e-3");
}

TEST(Number, IsPrintedWithAllItsDigits) {
  for (const double value : {0.1, 1e-8, 1.0 / 3, 1e300, 5e-324, 12345678.0, 0.0}) {
    EXPECT_EQ(Number{}.read(filed(Number{}.print(value))), value);
  }
}

TEST(WholeNumbers, AreAListWithinItsBounds) {
  const WholeNumbers numbers{1, 2, {1, 9}};
  EXPECT_EQ(numbers.read(filed("[3, 4]")), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(numbers.print({3, 4}), "[3, 4]");
  EXPECT_EQ(refusal(numbers, filed("[]")), "job.toml:2: s.k has 0 numbers; give 1 to 2");
  EXPECT_EQ(refusal(numbers, filed("[1, 2, 3]")), "job.toml:2: s.k has 3 numbers; give 1 to 2");
  EXPECT_EQ(refusal(numbers, filed("[10]")),
            "job.toml:2: s.k: 10 is out of range; give a number from 1 to 9");
  EXPECT_EQ(refusal(numbers, filed("[1.5]")),
            "job.toml:2: s.k holds a float, and must hold whole numbers; write it like [256, 128]");
  EXPECT_EQ(
      refusal(numbers, filed("3")),
      "job.toml:2: s.k is a whole number, and must be a list of whole numbers; write it like [256, 128]");
}

TEST(ListOfNumbers, ReadsEachAsOne) {
  const ListOf<Number> numbers{2, "[1, 1.5]", {0, 9}};
  EXPECT_EQ(numbers.read(filed("[3, 0.1]")), (std::vector<double>{3, 0.1}));
  EXPECT_EQ(numbers.read(typed("[3, 0.1]")), (std::vector<double>{3, 0.1}));
  EXPECT_EQ(numbers.read(filed("[]")), std::vector<double>());
  EXPECT_EQ(numbers.print({3, 0.1}), "[3, 0.1]");
  EXPECT_EQ(numbers.print({}), "[]");
  EXPECT_EQ(refusal(numbers, filed("[1, 10]")),
            "job.toml:2: s.k: 10 is out of range; give a number from 0 to 9");
  EXPECT_EQ(refusal(numbers, filed("[1, 2, 3]")), "job.toml:2: s.k has 3 elements; give 0 to 2");
  EXPECT_EQ(refusal(numbers, filed("1")),
            "job.toml:2: s.k is a whole number, and must be a list; write it like [1, 1.5]");
}

TEST(Truth, IsTrueOrFalse) {
  EXPECT_TRUE(Truth{}.read(filed("true")));
  EXPECT_FALSE(Truth{}.read(typed("false")));
  EXPECT_EQ(Truth{}.print(true), "true");
  EXPECT_EQ(refusal(Truth{}, filed("1")),
            "job.toml:2: s.k is a whole number, and must be a boolean; write true or false, without quotes");
}

TEST(Text, NeedsNoQuotesWhereItIsTyped) {
  EXPECT_EQ(Text{}.read(typed("7")), "7");
  EXPECT_EQ(Text{}.read(typed("2024-01-01")), "2024-01-01");
  EXPECT_EQ(Text{}.read(typed("\"a b\"")), "a b");
  EXPECT_EQ(refusal(Text{}, filed("7")),
            "job.toml:2: s.k is a whole number, and must be a string; write it between quotes");
}

TEST(Text, IsOneLineOfUtf8) {
  EXPECT_EQ(Text{}.read(filed("\"Größe\"")), "Größe");
  EXPECT_EQ(refusal(Text{}, filed("\"a\\nb\"")),
            "job.toml:2: s.k: 'a?b' holds a control character or is not UTF-8; use another name");
  EXPECT_EQ(refusal(Text{}, typed("\xff")).substr(0, 40), "--k: '?' holds a control character or is");
}

TEST(Text, IsEmptyOnlyWhereItMayBe) {
  EXPECT_EQ(Text{}.read(filed("\"\"")), "");
  EXPECT_EQ(refusal(Text{false}, filed("\"\"")), "job.toml:2: s.k is empty; give a value or leave it out");
}

TEST(Text, IsPrintedSoThatQuotesAndBackslashesStay) {
  const std::string text = R"(a "b" \c\ #d)";
  EXPECT_EQ(Text{}.read(filed(Text{}.print(text))), text);
}

TEST(ByteSize, IsWrittenWithAUnitOrWithout) {
  const ByteSize size{1, 1 << 20};
  EXPECT_EQ(size.read(filed("65536")), 65536);
  EXPECT_EQ(size.read(filed("\"64 KiB\"")), 65536);
  EXPECT_EQ(size.read(typed("64KiB")), 65536);
  EXPECT_EQ(size.read(typed("4,000")), 4000);
  EXPECT_EQ(size.print(65536), "65536");
  EXPECT_EQ(refusal(size, filed("0")),
            "job.toml:2: s.k: 0 is out of range; give a number from 1 to 1,048,576");
  EXPECT_EQ(refusal(size, typed("2 MiB")), "--k: 2 MiB is out of range; give 1 to 1,048,576 bytes");
  EXPECT_EQ(refusal(size, filed("true")),
            "job.toml:2: s.k is a boolean, and must be a number of bytes; write it like 65536, \"64 KiB\" or "
            "\"1.5 MB\"");
}

TEST(Duration, IsWrittenAsForOtherCommands) {
  EXPECT_EQ(Duration{}.read(filed("\"1.5 s\"")), 1500ms);
  EXPECT_EQ(Duration{}.read(filed("90")), 90s);
  EXPECT_EQ(Duration{}.read(filed("0.5")), 500ms);
  EXPECT_EQ(Duration{}.read(typed("2min")), 2min);
  EXPECT_EQ(refusal(Duration{}, typed("0")).substr(0, 20), "--k: 0 is too short;");
  EXPECT_EQ(refusal(Duration{}, filed("true")),
            "job.toml:2: s.k is a boolean, and must be a time; write it like \"60 s\" or \"2 min\"");
}

TEST(Duration, IsPrintedToTheNanosecond) {
  for (const std::chrono::nanoseconds time : {60'000'000'000ns, 1ns, 123'456'789'012'345ns})
    EXPECT_EQ(Duration{}.read(filed(Duration{}.print(time))), time);
}

TEST(OneOf, IsAKnownWordOrTheNearestIsNamed) {
  const OneOf<int> choice{{"linear", "mlp", "cnn"}, {1, 2, 3}};
  EXPECT_EQ(choice.read(filed("\"mlp\"")), 2);
  EXPECT_EQ(choice.read(typed("cnn")), 3);
  EXPECT_EQ(choice.print(3), "\"cnn\"");
  EXPECT_EQ(refusal(choice, filed("\"linaer\"")),
            "job.toml:2: s.k: there is no 'linaer'; did you mean linear?");
  EXPECT_EQ(refusal(choice, filed("\"transformer\"")),
            "job.toml:2: s.k: there is no 'transformer'; give one of linear, mlp, cnn");
  EXPECT_EQ(refusal(choice, filed("3")),
            "job.toml:2: s.k is a whole number, and must be a string; give one of linear, mlp, cnn");
}

}  // namespace
}  // namespace trireme::config
