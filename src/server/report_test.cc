#include "server/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "server/ledger_test_util.h"
#include "server/modes_test_util.h"

namespace trireme::server {
namespace {

using testing::HasSubstr;

Report any_report() {
  Report report;
  for (int bar = *rc::gen::inRange(0, 6); bar > 0; --bar) {
    report.staleness.histogram[*rc::gen::inRange<std::int64_t>(0, 1000)] =
        *rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000);
  }
  report.dropped = *rc::gen::inRange<std::int64_t>(0, 1000);
  report.duplicates = *rc::gen::inRange<std::int64_t>(0, 1000);
  for (int line = *rc::gen::inRange(0, 4); line > 0; --line)
    report.writes += schedule::line({.gradient = line});
  return report;
}

RC_GTEST_PROP(AReport, IsReadAsItWasWritten, ()) {
  const Report report = any_report();
  const Report read = read_report(to_text(report));
  RC_ASSERT(read.staleness.histogram == report.staleness.histogram);
  RC_ASSERT(read.dropped == report.dropped);
  RC_ASSERT(read.duplicates == report.duplicates);
  RC_ASSERT(read.writes == report.writes);
}

RC_GTEST_PROP(AReport, IsRefusedWhereItsNumbersAreCutOff, ()) {
  Report report = any_report();
  report.staleness.histogram[3] = 12;
  const std::string text = to_text(report);
  const std::string line = text.substr(0, text.find('\n'));
  const std::string cut = line.substr(0, *rc::gen::inRange<std::size_t>(0, line.size() + 1));
  RC_ASSERT_THROWS_AS(static_cast<void>(read_report(cut)),
                      Error);  // also where only the end of the line is missing
  const std::string without_last = line.substr(0, line.rfind(' '));
  RC_ASSERT_THROWS_AS(static_cast<void>(read_report(without_last + '\n')), Error);
}

TEST(AReport, IsRefusedWhereItIsNone) {
  for (const char* text :
       {"", "\n", "x\n", "1\n", "1 2\n", "1 2 x\n", "1 2 -1\n", "1 2 1 0 x\n", "1 2 99999999999999999999\n",
        "1 2 9999999999 0 1\n", "1 2 0 7\n", "1 2 1 0 1 5\n"}) {
    EXPECT_THROW(static_cast<void>(read_report(text)), Error) << text;
  }
}

TEST(AReport, AddsUpWhatServersHaveDone) {
  Report one;
  one.staleness.histogram = {{0, 2}, {3, 1}};
  one.dropped = 1;
  one.writes = "a\n";
  Report other;
  other.staleness.histogram = {{3, 4}};
  other.dropped = 2;
  other.duplicates = 5;
  other.writes = "b\n";
  one += other;
  EXPECT_EQ(one.staleness.histogram, (std::map<std::int64_t, std::int64_t>{{0, 2}, {3, 5}}));
  EXPECT_EQ(one.dropped, 3);
  EXPECT_EQ(one.duplicates, 5);
  EXPECT_EQ(one.writes, "a\nb\n");
}

TEST(AReport, TellsEachWriteOnceAndAllThatWasDone) {
  Pushing pushing({kAsync, 2});
  pushing.begin({.first = 0, .gradients = 4, .records = true});
  static_cast<void>(pushing.push(1));
  const Report first = report_of(pushing.ledger());
  EXPECT_EQ(first.writes, schedule::line({.worker = 1, .gradient = 1, .read = 0, .version = 1}));
  static_cast<void>(pushing.push(0));
  static_cast<void>(pushing.push_again(0));
  const Report second = report_of(pushing.ledger());
  EXPECT_THAT(second.writes,
              HasSubstr(schedule::line({.worker = 0, .gradient = 0, .read = 0, .version = 2})));
  EXPECT_EQ(second.writes.find(first.writes), std::string::npos);
  EXPECT_EQ(second.staleness.updates(), 2);
  EXPECT_EQ(second.duplicates, 1);
}

}  // namespace
}  // namespace trireme::server
