#include "data/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "data/data_test_util.h"

namespace trireme::data {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Row = std::vector<std::string>;

ByteString bytes_of_text(std::string_view text) { return {text.begin(), text.end()}; }

std::vector<Row> rows_of(std::string_view text) {
  const ByteString bytes = bytes_of_text(text);
  CsvReader reader(bytes_of_memory(bytes), "a.csv");
  std::vector<Row> rows;
  std::vector<std::string_view> cells;
  while (reader.next(cells)) rows.emplace_back(cells.begin(), cells.end());
  return rows;
}

std::string csv_refusal(std::string_view text) {
  return refusal_of([&] { return rows_of(text); });
}

TEST(Csv, HasCellsBetweenCommasAndARowOnEachLine) {
  const std::vector<Row> expected = {{"a", "b"}, {"1", ""}, {"", "2"}};
  EXPECT_EQ(rows_of("a,b\n1,\n,2\n"), expected);
  EXPECT_EQ(rows_of("a,b\r\n1,\r\n,2\r\n"), expected);
  EXPECT_EQ(rows_of("a,b\n1,\n,2"), expected);
  EXPECT_EQ(rows_of("\xEF\xBB\xBF"
                    "a,b\n\n1,\n,2\n\r\n\n"),
            expected);
  EXPECT_EQ(rows_of(" a,\tb \n 1 , \n,2\n"), expected);
}

TEST(Csv, MayHaveCellsInQuotes) {
  EXPECT_EQ(rows_of("\"a, b\",\"say \"\"x\"\"\" , \"\"\n\"1\n2\",3,4\n"),
            (std::vector<Row>{{"a, b", "say \"x\"", ""}, {"1\n2", "3", "4"}}));
}

TEST(Csv, OfNothingHasNoRows) {
  EXPECT_EQ(rows_of(""), std::vector<Row>());
  EXPECT_EQ(rows_of("\xEF\xBB\xBF"), std::vector<Row>());
  EXPECT_EQ(rows_of("\n\r\n\n"), std::vector<Row>());
}

TEST(Csv, KnowsTheLineOfARow) {
  const ByteString bytes = bytes_of_text("\n\"1\n2\",3\n\n4,5\n");
  CsvReader reader(bytes_of_memory(bytes), "a.csv");
  std::vector<std::string_view> cells;
  ASSERT_TRUE(reader.next(cells));
  EXPECT_EQ(reader.line(), 2);
  ASSERT_TRUE(reader.next(cells));
  EXPECT_EQ(reader.line(), 5);
  EXPECT_FALSE(reader.next(cells));
}

TEST(Csv, WithAWrongQuoteIsRefused) {
  EXPECT_EQ(csv_refusal("1,2\n\"3,4\n5,6\n"),
            "a.csv: line 2: a quote is opened and never closed; close it, or write a quote as two, \"\"");
  EXPECT_EQ(
      csv_refusal("1,2\n3\"\",4\n"),
      "a.csv: line 2, column 1: a quote within a cell; put the whole cell between quotes, and write a quote "
      "in it as two, \"\"");
  EXPECT_THAT(csv_refusal("\"1\"2,3\n"),
              StartsWith("a.csv: line 1: a cell goes on behind its closing quote; "));
}

TEST(Csv, ThatIsNoTextIsRefused) {
  EXPECT_THAT(csv_refusal("\xFF\xFE"
                          "1"),
              HasSubstr("line 1: the text is UTF-16; save it as UTF-8"));
  EXPECT_THAT(csv_refusal("\x1F\x8B\b"),
              HasSubstr("compressed by gzip, but its name does not say so; rename it to "
                        "a.csv.gz"));
  EXPECT_THAT(csv_refusal(std::string_view("1,2\n3,\0\n", 8)), HasSubstr("line 2 holds a zero byte"));
}

TEST(Csv, OfMoreCellsThanAnySampleHasIsRefused) {
  EXPECT_THAT(csv_refusal(std::string(CsvReader::kMostCells, ',')),
              HasSubstr("has more than 4,194,304 cells"));
}

// An independent writer that quotes what it likes to.
std::string written(const std::vector<Row>& rows, const std::string& line_end) {
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string cell = row[i];
      for (std::size_t at = cell.find('"'); at != std::string::npos; at = cell.find('"', at + 2))
        cell.insert(at, 1, '"');
      text += (i > 0 ? "," : "") + ("\"" + cell + "\"");
    }
    text += line_end;
  }
  return text;
}

RC_GTEST_PROP(Csv, GivesBackWhatWasWritten, ()) {
  const auto cell =
      rc::gen::container<std::string>(rc::gen::element('a', '1', ',', '"', '\n', '\r', ' ', '.'));
  const auto rows = *rc::gen::container<std::vector<Row>>(rc::gen::nonEmpty(rc::gen::container<Row>(cell)));
  RC_ASSERT(rows_of(written(rows, *rc::gen::element<std::string>("\n", "\r\n"))) == rows);
}

TEST(Csv, MayBeLargerThanAnyBlock) {
  std::vector<Row> rows;
  rows.reserve(20'000);
  for (int i = 0; i < 20'000; ++i) rows.push_back({std::to_string(i), "x", std::to_string(i * 7)});
  EXPECT_EQ(rows_of(written(rows, "\r\n")), rows);
}

}  // namespace
}  // namespace trireme::data
