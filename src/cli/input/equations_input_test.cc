#include "cli/input/equations_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace trireme::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename Function>
std::string refusal(Function function) {
  try {
    function();
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string refusal_of_equation(std::string_view text) {
  return refusal([&] { (void)parse_equation(text); });
}

std::string refusal_of_file(std::string_view text) {
  return refusal([&] { (void)parse_equations(text, "a.csv"); });
}

TEST(EquationsInput, ReadsAnEquation) {
  const optim::Equation equation = parse_equation("-1, 0.1 ,1e-2 = +1");
  EXPECT_THAT(equation.coefficients, ElementsAre(-1, 0.1, 0.01));
  EXPECT_EQ(equation.right, 1);
}

TEST(EquationsInput, RefusesWhatIsNoEquation) {
  EXPECT_THAT(refusal_of_equation("1,2"), HasSubstr("'1,2' is not an equation; write the coefficients"));
  EXPECT_THAT(refusal_of_equation("1=2=3"), HasSubstr("is not an equation"));
  EXPECT_THAT(refusal_of_equation("1,x=2"), HasSubstr("--equation: 'x' is not a number"));
  EXPECT_THAT(refusal_of_equation("1,=2"), HasSubstr("--equation: '' is not a number"));
  EXPECT_THAT(refusal_of_equation("1=nan"), HasSubstr("'nan' is not a number"));
  EXPECT_THAT(refusal_of_equation("1=2,3"), HasSubstr("has 2 numbers behind the ="));
}

TEST(EquationsInput, ReadsAFileWithAndWithoutAHeader) {
  for (const char* text :
       {"1,2,3\n4,5,6\n", "\xef\xbb\xbfx,y,b\r\n\r\n1,2,3\r\n4,5,6", "1,2,b\r1,2,3\r4,5,6"}) {
    const std::vector<optim::Equation> equations = parse_equations(text, "a.csv");
    ASSERT_EQ(equations.size(), 2U) << text;
    EXPECT_THAT(equations[1].coefficients, ElementsAre(4, 5));
    EXPECT_EQ(equations[1].right, 6);
  }
}

TEST(EquationsInput, NamesTheLineOfAFileThatIsWrong) {
  EXPECT_THAT(refusal_of_file("a,b\n\n1,x\n"), HasSubstr("a.csv, line 3: 'x' is not a number"));
  EXPECT_THAT(refusal_of_file("1,2\n3\n"), HasSubstr("a.csv, line 2: there is only one number"));
  EXPECT_THAT(refusal_of_file("1,\n"), HasSubstr("a.csv, line 1: '' is not a number"));
  EXPECT_THAT(refusal_of_file("a,b\n"), HasSubstr("a.csv: there is no equation"));
  EXPECT_THAT(refusal_of_file(""), HasSubstr("a.csv: there is no equation"));
}

TEST(EquationsInput, NamesASeparatorThatIsNoComma) {
  const std::string semicolons = "a.csv, line 1: there are semicolons between the numbers; put commas there";
  EXPECT_THAT(refusal_of_file("1;2;3\n"), HasSubstr(semicolons));
  EXPECT_THAT(refusal_of_file("x;y;b\n1;2;3\n"), HasSubstr(semicolons));
  EXPECT_THAT(refusal_of_file("1,0;0,5;1\n"), HasSubstr(semicolons));
  EXPECT_THAT(refusal_of_file("1,2\n1\t2\n"), HasSubstr("a.csv, line 2: there are tabs between the numbers"));
  EXPECT_EQ(parse_equations("1,\t2,\t3\n", "a.csv").size(), 1U);
}

}  // namespace
}  // namespace trireme::cli
