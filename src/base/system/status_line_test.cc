#include "base/system/status_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trireme {
namespace {

TEST(ClockWords, TellTimeAsClocksDo) {
  EXPECT_EQ(clock_words(0), "0:00");
  EXPECT_EQ(clock_words(6.7), "0:07");
  EXPECT_EQ(clock_words(3600 + 6 * 60 + 59), "1:06:59");
}

class AStatusLine : public testing::Test {
 protected:
  std::vector<std::string> written;
  StatusLine line{[this](const std::string& text) { written.push_back(text); }, 10};
};

TEST_F(AStatusLine, IsWrittenOverInPlace) {
  line.show("step 1");
  EXPECT_EQ(written, std::vector<std::string>{"\r\033[Kstep 1"});
}

TEST_F(AStatusLine, IsNotWrittenOverAllTheTime) {
  line.show("step 1");
  line.show("step 2");
  EXPECT_EQ(written.size(), 1U);
}

TEST_F(AStatusLine, StaysBelowTheLastColumn) {
  line.show("0123456789");
  EXPECT_EQ(written[0], "\r\033[K012345678");
}

TEST_F(AStatusLine, MakesWayForOthersAndComesBackAtOnce) {
  line.clear();
  line.show("step 1");
  line.clear();
  line.show("step 2");
  EXPECT_EQ(written, (std::vector<std::string>{"\r\033[Kstep 1", "\r\033[K", "\r\033[Kstep 2"}));
}

}  // namespace
}  // namespace trireme
