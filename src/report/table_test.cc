#include "report/table.h"

#include <gtest/gtest.h>

namespace trireme::report {
namespace {

TEST(Table, LinesItsColumnsUp) {
  Table table("lr");
  table.row({"name", "count"});
  table.row({"a", "1,000"});
  table.row({"longer", "7"});
  EXPECT_EQ(table.text(),
            "name    count\n"
            "a       1,000\n"
            "longer      7\n");
}

TEST(Table, CountsLettersAndNotBytes) {
  Table table("ll");
  table.row({"2(n−1)", "x"});
  table.row({"⌈lg n⌉", "x"});
  table.row({"123456", "x"});
  EXPECT_EQ(table.text(), "2(n−1)  x\n⌈lg n⌉  x\n123456  x\n");
}

TEST(Table, LeavesNoSpacesAtTheEndOfALine) {
  Table table("ll");
  table.row({"a", "long"});
  table.row({"b", ""});
  EXPECT_EQ(table.text(), "a  long\nb\n");
}

}  // namespace
}  // namespace trireme::report
