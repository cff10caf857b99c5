#include "job/progress.h"

#include <gtest/gtest.h>

#include <vector>

namespace trireme {
namespace {

TEST(Progress, IsToldInOneLine) {
  EXPECT_EQ(in_words(Progress{50, 1'704, 0.53121, 1590.6, 10'119'408, 24, 419.4}),
            "step 50 of 1,704, 6:59 left: loss 0.5312, 1,590 samples/s, 10.1 MB and 24 messages per step");
}

TEST(Progress, TellsTimeAsClocksDo) {
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
