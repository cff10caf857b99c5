#include "schedule/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

#include "base/error.h"

namespace trireme::schedule {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(read_schedule(text, "s.jsonl"));
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    EXPECT_FALSE(error.failure().hint.empty());
    return error.what();
  }
  return "accepted";
}

// One that could have happened: in rounds, if it is of backup workers.
Schedule any_schedule() {
  Schedule schedule;
  schedule.mode = *rc::gen::element("async", "ssp:2", "backup:1");
  schedule.workers = *rc::gen::inRange(1, 5);
  schedule.servers = *rc::gen::inRange(1, 4);
  schedule.staleness_rate = *rc::gen::element("workers", "staleness", "none");
  const bool has_rounds = schedule.mode == "backup:1";
  std::map<std::int32_t, std::int64_t> versions;
  std::map<std::pair<std::int32_t, Rank>, std::int64_t> reads;
  const auto count = *rc::gen::inRange(0, 40);
  for (std::int64_t gradient = 0; gradient < count; ++gradient) {
    Write write{.server = *rc::gen::inRange(0, schedule.servers),
                .worker = *rc::gen::inRange(0, schedule.workers),
                .gradient = gradient};
    std::int64_t& version = versions[write.server];
    std::int64_t& read = reads[{write.server, write.worker}];
    write.dropped = has_rounds && *rc::gen::inRange(0, 4) == 0;
    const bool averages = has_rounds && !write.dropped && version > read && *rc::gen::arbitrary<bool>();
    read = *rc::gen::inRange(read, averages ? version : version + 1);
    write.read = read;
    write.version = version += write.dropped || averages ? 0 : 1;
    schedule.writes.push_back(write);
  }
  return schedule;
}

RC_GTEST_PROP(Schedule, IsReadBack, ()) {
  const Schedule schedule = any_schedule();
  RC_ASSERT(read_schedule(to_jsonl(schedule), "s.jsonl") == schedule);
}

TEST(Schedule, HasALineForEachWrite) {
  EXPECT_EQ(to_jsonl({.mode = "backup:1",
                      .workers = 3,
                      .staleness_rate = "none",
                      .writes = {{.server = 0, .worker = 2, .gradient = 17, .read = 0, .version = 1},
                                 {.worker = 1, .gradient = 16, .version = 1, .dropped = true}}}),
            "{\"schedule\":1,\"mode\":\"backup:1\",\"workers\":3,\"servers\":1,\"staleness_rate\":\"none\"}\n"
            "{\"server\":0,\"worker\":2,\"gradient\":17,\"read\":0,\"version\":1}\n"
            "{\"server\":0,\"worker\":1,\"gradient\":16,\"read\":0,\"version\":1,\"dropped\":true}\n");
}

TEST(ScheduleByHand, NeedsOnlyWorkersAndWhatTheyRead) {
  const Schedule schedule = read_schedule(
      "{\"worker\": 1, \"read\": 0}\r\n\n{\"worker\": 3, \"read\": 0}\n"
      "{\"server\": 1, \"worker\": 1, \"gradient\": 0, \"read\": 0}\n{\"worker\": 1, \"read\": 2}",
      "s.jsonl");
  EXPECT_EQ(schedule.mode, "async");
  EXPECT_EQ(schedule.workers, 4);
  EXPECT_EQ(schedule.servers, 2);
  EXPECT_EQ(schedule.staleness_rate, "workers");
  EXPECT_THAT(schedule.writes, ElementsAre(Write{0, 1, 0, 0, 1}, Write{0, 3, 1, 0, 2}, Write{1, 1, 0, 0, 1},
                                           Write{0, 1, 2, 2, 3}));
}

TEST(ScheduleByHand, MayHaveAShortFirstLine) {
  const Schedule schedule = read_schedule("{\"schedule\":1,\"workers\":5}\n{\"worker\":0,\"read\":0}", "s");
  EXPECT_EQ(schedule.workers, 5);
  EXPECT_EQ(schedule.servers, 1);
  EXPECT_EQ(read_schedule("{\"schedule\":1,\"workers\":5}", "s").writes.size(), 0U);
}

TEST(ScheduleByHand, OfRoundsNamesTheVersionOfARound) {
  const Schedule schedule = read_schedule(
      "{\"schedule\":1,\"mode\":\"backup:1\"}\n{\"worker\":0,\"read\":0}\n{\"worker\":1,\"read\":0,"
      "\"version\":1}\n"
      "{\"worker\":2,\"read\":0,\"dropped\":true}\n{\"worker\":2,\"read\":1}\n",
      "s.jsonl");
  EXPECT_THAT(schedule.writes, ElementsAre(Write{0, 0, 0, 0, 1}, Write{0, 1, 1, 0, 1},
                                           Write{0, 2, 2, 0, 1, true}, Write{0, 2, 3, 1, 2}));
}

TEST(Schedule, ThatCouldNotHaveHappenedIsRefusedByItsLine) {
  const std::string first = "{\"worker\":0,\"read\":0}\n";
  EXPECT_THAT(refusal(first + "{\"worker\":1,\"read\":2}\n"),
              StartsWith("s.jsonl, line 2: it reads version 2 of server 0, which is not written yet: the "
                         "newest is 1; list the writes in the order"));
  EXPECT_EQ(refusal(first + "{\"worker\":1,\"read\":1}\n"), "accepted");
  EXPECT_THAT(refusal("{\"worker\":0,\"read\":0,\"version\":0}"),
              HasSubstr("line 1: version 0 of server 0 comes after version 0"));
  EXPECT_THAT(refusal(first + "{\"worker\":1,\"read\":0,\"version\":3}\n"),
              HasSubstr("line 2: version 3 of server 0 comes after version 1"));
  EXPECT_THAT(refusal(first + "{\"worker\":1,\"read\":0,\"version\":1}\n"),
              HasSubstr("version 1 of server 0 comes after version 1"));
  EXPECT_THAT(refusal(first + "{\"worker\":0,\"read\":1}\n{\"worker\":0,\"read\":0}\n"),
              HasSubstr("line 3: worker 0 reads version 0 of server 0, and has read 1 before"));
  EXPECT_THAT(refusal(first + "{\"worker\":1,\"read\":0,\"gradient\":0}\n"),
              HasSubstr("line 2: gradient 0 is of worker 1 and server 0, as in line 1 of worker 0"));
  EXPECT_THAT(refusal(first + "{\"worker\":1,\"server\":1,\"read\":0,\"gradient\":0}\n"),
              HasSubstr("line 2: gradient 0 is of worker 1 and server 1, as in line 1 of worker 0"));
}

TEST(Schedule, OfNodesThatThereAreNotIsRefused) {
  const std::string first = "{\"schedule\":1,\"workers\":2,\"servers\":1}\n";
  EXPECT_THAT(refusal(first + "{\"worker\":2,\"read\":0}"),
              HasSubstr("line 2: there is no worker 2; the last is 1, as the first line says"));
  EXPECT_THAT(refusal(first + "{\"worker\":1,\"server\":1,\"gradient\":0,\"read\":0}"),
              HasSubstr("line 2: there is no server 1; the last is 0"));
  EXPECT_THAT(refusal("{\"worker\":1000000,\"read\":0}"),
              HasSubstr("'worker' is no whole number from 0 to 999,999"));
}

TEST(Schedule, OfRoundsReadsNoVersionOfItsOwnRound) {
  const std::string first = "{\"schedule\":1,\"mode\":\"backup:1\"}\n{\"worker\":0,\"read\":0}\n";
  EXPECT_THAT(refusal(first + "{\"worker\":1,\"read\":1,\"version\":1}\n"),
              HasSubstr("line 3: it reads version 1 of server 0, which is not written yet: the newest is 0"));
  EXPECT_THAT(refusal(first + "{\"worker\":1,\"read\":0,\"version\":2,\"dropped\":true}\n"),
              HasSubstr("version 2 of server 0 comes after version 1"));
  EXPECT_THAT(refusal("{\"worker\":1,\"read\":0,\"dropped\":true}\n"),
              HasSubstr("mode async drops no gradient"));
}

TEST(Schedule, WithALineThatIsNoneIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("s.jsonl: it has neither writes nor"));
  EXPECT_THAT(refusal("{\"worker\":0"), HasSubstr("line 1: it is no right JSON: column 12"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("line 1: it is no object"));
  EXPECT_THAT(refusal("{\"worker\":0}"), HasSubstr("'read' is missing"));
  EXPECT_THAT(refusal("{\"read\":0}"), HasSubstr("'worker' is missing"));
  EXPECT_THAT(refusal("{\"worker\":0,\"server\":1,\"read\":0}"), HasSubstr("'gradient' is missing"));
  EXPECT_THAT(refusal("{\"worker\":0,\"read\":0,\"time\":1}"), HasSubstr("'time' is unknown here"));
  EXPECT_THAT(refusal("{\"worker\":0,\"read\":0,\"read\":0}"), HasSubstr("'read' is there twice"));
  EXPECT_THAT(refusal("{\"worker\":0,\"read\":-1}"), HasSubstr("'read' is no whole number from 0 to"));
  EXPECT_THAT(refusal("{\"worker\":0,\"read\":0.0}"), HasSubstr("'read' is no whole number"));
  EXPECT_THAT(refusal("{\"worker\":0,\"read\":9223372036854775808}"), HasSubstr("'read' is no whole number"));
  EXPECT_THAT(refusal("{\"worker\":\"0\",\"read\":0}"), HasSubstr("'worker' is no whole number"));
  EXPECT_THAT(refusal("{\"worker\":0,\"read\":0,\"dropped\":1}"), HasSubstr("'dropped' is neither true nor"));
  EXPECT_THAT(refusal("{\"worker\":0,\"read\":0" + std::string(1000, ' ') + "}"),
              HasSubstr("line 1: it has more than 1,000 characters"));
}

TEST(Schedule, WithAFirstLineThatIsNoneIsRefused) {
  EXPECT_THAT(refusal("{\"schedule\":2}"), HasSubstr("line 1: it has version 2 of the format"));
  EXPECT_THAT(refusal("{\"schedule\":1,\"mode\":\"sync\"}"), HasSubstr("there is no mode 'sync'"));
  EXPECT_THAT(refusal("{\"schedule\":1,\"mode\":\"ssp:\"}"), HasSubstr("there is no mode 'ssp:'"));
  EXPECT_THAT(refusal("{\"schedule\":1,\"mode\":7}"), HasSubstr("'mode' is no text"));
  EXPECT_THAT(refusal("{\"schedule\":1,\"workers\":0}"), HasSubstr("'workers' is no whole number from 1 to"));
  EXPECT_THAT(refusal("{\"schedule\":1,\"staleness_rate\":\"age\"}"), HasSubstr("'staleness_rate' is 'age'"));
  EXPECT_THAT(refusal("{\"worker\":0,\"read\":0}\n{\"schedule\":1}"),
              HasSubstr("line 2: 'worker' is missing"));
}

}  // namespace
}  // namespace trireme::schedule
