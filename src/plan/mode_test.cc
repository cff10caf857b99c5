#include "plan/mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace trireme::plan {
namespace {

TEST(Mode, IsReadAsItIsWritten) {
  for (const char* text : {"sync", "async", "ssp:1", "ssp:12", "backup:3"}) {
    EXPECT_EQ(to_string(parse_mode(text, "--mode")), text);
  }
}

TEST(Mode, WithZeroIsSync) {
  EXPECT_EQ(parse_mode("ssp:0", "--mode"), Mode{});
  EXPECT_EQ(parse_mode("backup:0", "--mode"), Mode{});
}

TEST(Mode, ThatThereIsNotIsRefused) {
  for (const char* text : {"", "asinc", "async:1", "sync:", "ssp", "ssp:", "ssp:-1", "ssp:x", "backup:1.5",
                           "backup:1:1", "ssp:1000001"}) {
    EXPECT_THROW(static_cast<void>(parse_mode(text, "--mode")), Error) << text;
  }
}

TEST(Mode, ThatThereIsNotIsAnsweredWithThoseThatThereAre) {
  try {
    static_cast<void>(parse_mode("bsp", "--mode"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("--mode: there is no mode 'bsp'"));
    EXPECT_THAT(error.what(), testing::HasSubstr("give sync, async, ssp:3"));
  }
}

}  // namespace
}  // namespace trireme::plan
