#include "data/csv_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "data/data_test_util.h"

namespace trireme::data {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct CsvCase {
  std::string text;
  std::string label = "kind";
  CsvHeader header = CsvHeader::kAuto;
  LabelKind kind{};
  std::string test_text = "";
};

Split csv_split(const CsvCase& one) {
  const ScratchFolder folder;
  const CsvSpec spec{.path = folder.write("a.csv", one.text),
                     .test_path = one.test_text.empty() ? "" : folder.write("test.csv", one.test_text),
                     .label = one.label,
                     .header = one.header,
                     .labels = one.kind};
  return load_csv(spec);
}

// Without the folder.
std::string csv_file_refusal(const CsvCase& one) {
  std::string words = refusal_of([&] { return csv_split(one); });
  for (std::size_t at; (at = words.find("/tmp/trireme-test-")) != std::string::npos;)
    words.erase(at, words.find('/', at + 18) + 1 - at);
  return words;
}

std::vector<double> numbers_in(const Dataset& dataset) {
  std::vector<double> numbers(idx(dataset.values.size()));
  dataset.values.read(0, numbers);
  return numbers;
}

constexpr const char* kFlowers = "long,kind,wide\n1.5,0,-2\n 3e2 ,\"2\",+.25\n";

TEST(CsvFile, BecomesADataSet) {
  const Dataset train = csv_split({kFlowers}).train;
  EXPECT_EQ(train.samples, 2);
  EXPECT_EQ(train.shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(train.classes, 3);
  EXPECT_EQ(train.labels, (std::vector<double>{0, 2}));
  EXPECT_EQ(numbers_in(train), (std::vector<double>{1.5, -2, 300, 0.25}));
}

TEST(CsvFile, HasItsLabelInAColumnByNameOrNumber) {
  EXPECT_EQ(csv_split({kFlowers, "2"}).train.labels, (std::vector<double>{0, 2}));
  EXPECT_EQ(csv_split({"1,7\n2,8\n", "1"}).train.labels, (std::vector<double>{1, 2}));
  EXPECT_EQ(csv_split({"2,1\n1,8\n2,9\n", "1", CsvHeader::kTrue}).train.labels, (std::vector<double>{8, 9}));
}

TEST(CsvFile, HasAHeaderIfTheFirstRowHasAWord) {
  EXPECT_EQ(csv_split({"a,1\n1,2\n", "2"}).train.samples, 1);
  EXPECT_EQ(csv_split({"5,1\n1,2\n", "2"}).train.samples, 2);
  EXPECT_EQ(csv_split({"5,1\n1,2\n", "2", CsvHeader::kTrue}).train.samples, 1);
  EXPECT_THAT(csv_file_refusal({"a,1\n1,2\n", "2", CsvHeader::kFalse}),
              StartsWith("a.csv: line 1, column 1: 'a' is not a number; "));
  EXPECT_THAT(csv_file_refusal({"nan,1\n1,2\n", "2"}),
              StartsWith("a.csv: line 1, column 1: 'nan' is not a finite number; "));
  EXPECT_THAT(csv_file_refusal({",1\n1,2\n", "2"}),
              StartsWith("a.csv: line 1, column 1: the cell is empty; "));
}

TEST(CsvFile, WithACellThatIsNoNumberIsRefusedByLineAndColumn) {
  EXPECT_EQ(csv_file_refusal({"long,kind\n1,0\n\nbig,1\n"}),
            "a.csv: line 4, column 1 (\"long\"): 'big' is not a number; turn words into numbers, or take the "
            "column out");
  EXPECT_EQ(csv_file_refusal({"long,kind\n1,0\n,1\n"}),
            "a.csv: line 3, column 1 (\"long\"): the cell is empty; fill it in, or take the row out");
  EXPECT_THAT(csv_file_refusal({"long,kind\n1e999,0\n"}),
              HasSubstr("line 2, column 1 (\"long\"): '1e999' is not a "
                        "finite number; "));
  EXPECT_THAT(csv_file_refusal({"long,kind\n-inf,0\n"}), HasSubstr("'-inf' is not a finite number; "));
  EXPECT_THAT(csv_file_refusal({"long,kind\n0x10,0\n"}), HasSubstr("'0x10' is not a number; "));
  EXPECT_THAT(csv_file_refusal({"long,kind\n1;2,0\n"}),
              HasSubstr("'1;2' is not a number; separate cells by commas"));
}

TEST(CsvFile, OfRowsThatDifferIsRefused) {
  EXPECT_EQ(
      csv_file_refusal({"long,kind\n1,0\n1,2,3\n"}),
      "a.csv: line 3 has 3 cells, and line 1 has 2; give each row a cell for each column; a comma within a "
      "cell needs quotes around the cell");
  EXPECT_THAT(csv_file_refusal({"long,kind\n1,0\n1\n"}),
              StartsWith("a.csv: line 3 has 1 cell, and line 1 has 2"));
}

TEST(CsvFile, OfNoSamplesIsRefused) {
  EXPECT_EQ(csv_file_refusal({"", "1"}), "a.csv is empty; give a file with rows");
  EXPECT_EQ(csv_file_refusal({"long,kind\n"}),
            "a.csv has a header and no other row; give a file with samples");
  EXPECT_THAT(csv_file_refusal({"1\n2\n", "1"}), StartsWith("a.csv has 1 column; "));
}

TEST(CsvFile, WithoutTheColumnOfTheLabelIsRefused) {
  EXPECT_EQ(
      csv_file_refusal({kFlowers, "kinds"}),
      "a.csv has no column \"kinds\" (data.label); the columns are \"long\", \"kind\", \"wide\"; or give the "
      "number of one, from 1 to 3");
  EXPECT_EQ(
      csv_file_refusal({kFlowers, ""}),
      "data.label does not say which column of a.csv holds the labels; the columns are \"long\", \"kind\", "
      "\"wide\"; or give the number of one, from 1 to 3");
  EXPECT_EQ(csv_file_refusal({"1,2\n", "3"}),
            "a.csv has no column \"3\" (data.label); there is no header, so give the number of a column, "
            "from 1 to 2");
  EXPECT_THAT(csv_file_refusal({kFlowers, "0"}), StartsWith("a.csv has no column \"0\""));
  EXPECT_THAT(csv_file_refusal({"a,a\n1,2\n", "a"}), StartsWith("a.csv has several columns \"a\"; "));
}

TEST(CsvFile, WithALabelThatIsNoClassIsRefused) {
  EXPECT_THAT(
      csv_file_refusal({"long,kind\n1,0\n1,0.5\n"}),
      StartsWith(
          "a.csv: line 3, column 2 (\"kind\"): the label is 0.5, and the number of a class is whole; "));
  EXPECT_THAT(csv_file_refusal({"long,kind\n1,-1\n"}),
              HasSubstr("the label is -1, numbers of classes are 0 to 999"));
  EXPECT_THAT(csv_file_refusal({.text = "long,kind\n1,3\n", .kind = {.classes = 3}}),
              HasSubstr("the label is 3, with 3 classes they are 0 to 2; "));
  EXPECT_EQ(csv_split({.text = "long,kind\n1,0.5\n", .kind = {.is_number = true}}).train.labels,
            std::vector<double>{0.5});
}

TEST(CsvFile, ForTheTestHasTheSameColumnsAndClasses) {
  const Split split = csv_split({.text = kFlowers, .test_text = "long,kind,wide\n1,1,1\n"});
  EXPECT_EQ(split.test.samples, 1);
  EXPECT_EQ(split.test.classes, 3);
  EXPECT_EQ(
      csv_file_refusal({.text = kFlowers, .test_text = "long,wide,kind\n1,1,1\n"}),
      "test.csv: column 2 is \"wide\", in a.csv it is \"kind\"; give files with the same columns in the same "
      "order");
  EXPECT_EQ(csv_file_refusal({.text = kFlowers, .label = "2", .test_text = "1,1\n"}),
            "test.csv has 2 columns, a.csv has 3; give files with the same columns");
  EXPECT_THAT(csv_file_refusal({.text = kFlowers, .test_text = "long,kind,wide\n1,3,1\n"}),
              StartsWith("test.csv: line 2, column 2 (\"kind\"): the label is 3, with 3 classes"));
}

TEST(CsvFile, MayBeCompressed) {
  const ScratchFolder folder;
  const std::string text = kFlowers;
  const std::string path = folder.write("a.csv.gz", as_text(gzip({text.begin(), text.end()})));
  EXPECT_EQ(load_csv({.path = path, .test_path = "", .label = "kind"}).train.samples, 2);
}

TEST(CsvFile, IsRefusedByALookAtItsFirstRow) {
  const ScratchFolder folder;
  const auto look = [&](const std::string& text, const std::string& label) {
    const CsvSpec spec{.path = folder.write("a.csv", text), .test_path = "", .label = label};
    return refusal_of([&] {
      look_at_csv(spec);
      return 0;
    });
  };
  EXPECT_EQ(look(kFlowers, "kind"), "accepted");
  EXPECT_THAT(look(kFlowers, "kinds"), HasSubstr("has no column \"kinds\""));
  EXPECT_THAT(look("a,b\n1,x\n", "a"), HasSubstr("line 2, column 2 (\"b\"): 'x' is not a number"));
}

TEST(CsvFile, NeedsAFolderForItsNumbers) {
  const ScratchFolder folder;
  const CsvSpec spec{.path = folder.write("a.csv", kFlowers), .label = "kind"};
  ::setenv("TMPDIR", "/no/such/folder", 1);
  const std::string words = refusal_of([&] { return load_csv(spec); });
  ::unsetenv("TMPDIR");
  EXPECT_THAT(words, HasSubstr("/a.csv in /no/such/folder: No such "
                               "file or directory; set TMPDIR to "));
}

RC_GTEST_PROP(CsvFile, GivesBackTheNumbersThatWereWritten, ()) {
  const auto features = *rc::gen::inRange<std::size_t>(1, 9);
  const auto samples = *rc::gen::inRange<std::size_t>(1, 30);
  const auto numbers = *rc::gen::container<std::vector<double>>(
      samples * features,
      rc::gen::map(rc::gen::arbitrary<double>(), [](double number) { return number + 0.1; }));
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::array<char, 40> cell{};
    std::snprintf(cell.data(), cell.size(), "%.17g", numbers[i]);
    text += std::string(cell.data()) + (i % features == features - 1 ? ",3\n" : ",");
  }
  const Dataset train = csv_split({text, std::to_string(features + 1)}).train;
  RC_ASSERT(numbers_in(train) == numbers);
  RC_ASSERT(train.samples == static_cast<std::int64_t>(samples));
}

}  // namespace
}  // namespace trireme::data
