#include "cli/input/values_file.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace trireme::cli {
namespace {

std::string refusal(std::string_view text) {
  try {
    (void)parse_values(text, "v.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ValuesFile, HoldsANameAndNumbersForEachWorker) {
  const ValuesFile file = parse_values("worker,v0,v1\nA,17,-0.5\nB, +3 ,1e3\n", "v.csv");
  EXPECT_EQ(file.workers, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(file.values, (plan::Values{{17, -0.5}, {3, 1000}}));
}

TEST(ValuesFile, MayHaveOtherLineEndsAndNoneAtTheEnd) {
  const ValuesFile file = parse_values("worker,v0\r\nA,1\r\n\r\nB,2", "v.csv");
  EXPECT_EQ(file.values, (plan::Values{{1}, {2}}));
}

TEST(ValuesFile, MayHaveLinesThatEndInACarriageReturnAlone) {
  EXPECT_EQ(parse_values("worker,v0\rA,1\rB,2\r", "v.csv").values, (plan::Values{{1}, {2}}));
  EXPECT_EQ(refusal("worker,v0\rA,1\r\rB,x\r").substr(0, 25), "v.csv, line 4, column 2: ");
}

TEST(ValuesFile, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(parse_values("\xef\xbb\xbfworker,v0\nA,1\n", "v.csv").workers, std::vector<std::string>{"A"});
}

TEST(ValuesFile, KeepsTheNamesOfItsColumns) {
  EXPECT_EQ(parse_values("worker,Größe,v1\nZoë,1,2\n", "v.csv").columns,
            (std::vector<std::string>{"Größe", "v1"}));
}

TEST(ValuesFile, RefusesWhatIsNotPlainTextAndDoesNotShowIt) {
  const std::string why = "holds a control character or is not UTF-8; save the file as plain UTF-8 text";
  EXPECT_EQ(refusal("worker,v0\nA\x1b[31m,1\n"), "v.csv, line 2, column 1: 'A?[31m' " + why);
  EXPECT_EQ(refusal("worker,v\xff\nA,1\n"), "v.csv, line 1, column 2: 'v?' " + why);
  EXPECT_EQ(refusal("worker,v0\nA,1\x07\n"), "v.csv, line 2, column 2: '1?' " + why);
}

TEST(ValuesFile, MayHaveNoValuesAtAll) {
  EXPECT_EQ(parse_values("worker\nA\nB\n", "v.csv").values, (plan::Values{{}, {}}));
}

TEST(ValuesFile, SaysLineAndColumnOfWhatIsWrong) {
  EXPECT_EQ(refusal("worker,v0,v1\nA,1\n"),
            "v.csv, line 2, column 3: the line has 2 cells, the header has 3; give every worker a value for "
            "each column");
  EXPECT_EQ(refusal("worker,v0\nA,1,2\n"),
            "v.csv, line 2, column 3: the line has 3 cells, the header has 2; take the extra cells away");
  EXPECT_EQ(refusal("worker,v0,v1\n\nA,,2\n"),
            "v.csv, line 3, column 2: the value of v0 is missing; give a number");
  for (const char* cell :
       {"nan", "NaN", "inf", "-inf", "x", "1x", "0x1", "1 2", "1e999", "--1", "+-1", "+", "\"1\""}) {
    const std::string text = "worker,v0\nA,1\nB," + std::string(cell) + "\n";
    EXPECT_EQ(refusal(text),
              "v.csv, line 3, column 2: '" + std::string(cell) +
                  "' is not a number that can be added up; give a finite number such as 17 or -0.5");
  }
  EXPECT_EQ(refusal("worker,v0\nA,1\nA,2\n"),
            "v.csv, line 3, column 1: worker A appears twice; give each worker one line");
  EXPECT_EQ(refusal("worker,v0\n,1\n"), "v.csv, line 2, column 1: the worker has no name; give it one");
  EXPECT_EQ(refusal("name,v0\nA,1\n"),
            "v.csv, line 1, column 1: the header begins with 'name'; begin it with: worker");
  EXPECT_EQ(refusal("worker,v0,\nA,1,2\n"),
            "v.csv, line 1, column 3: the column has no name; name it, for example v1");
  EXPECT_EQ(refusal(""), "v.csv: the file is empty; begin it with a header: worker,v0,v1");
  EXPECT_EQ(refusal("\n\n"), "v.csv: the file is empty; begin it with a header: worker,v0,v1");
  EXPECT_EQ(
      refusal("\nworker,v0\n\n"),
      "v.csv, line 2: the file ends after its header; add a line for each worker, with a value for each "
      "column: A,17,11");
}

std::string refusal_to_read(const std::string& path) {
  try {
    (void)read_values_file(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ValuesFile, ThatIsNotThereIsNamed) {
  EXPECT_EQ(refusal_to_read("no/such/file.csv"),
            "--values: cannot read no/such/file.csv: No such file or directory; give the path of a CSV file");
}

TEST(ValuesFile, ThatCannotBeReadToItsEndIsRefused) {
  EXPECT_EQ(refusal_to_read("/proc/self/mem"),  // no memory is mapped at its beginning
            "--values: cannot read /proc/self/mem: Input/output error; give the path of a CSV file");
}

}  // namespace
}  // namespace trireme::cli
