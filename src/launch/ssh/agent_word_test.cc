#include "launch/ssh/agent_word.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "launch/lines.h"

namespace trireme::launch::ssh {
namespace {

AgentWord sent(const AgentWord& word) {
  std::string line = encode(word);
  EXPECT_EQ(line.back(), '\n');
  line.pop_back();
  EXPECT_EQ(line.find('\n'), std::string::npos);
  return decode_agent_word(line).value();
}

TEST(AgentWord, SaysWhereRankZeroListens) {
  EXPECT_EQ(std::get<AgentReady>(sent(AgentReady{"[::1]:4711"})).address, "[::1]:4711");
}

TEST(AgentWord, SaysHowANodeEnded) {
  const RankEnd end{4711, RankEnd::How::kKilled, SIGSEGV, false, {}};
  const auto word = std::get<NodeEnded>(sent(NodeEnded{3, end}));
  EXPECT_EQ(word.rank, 3);
  EXPECT_EQ(word.end.process, 4711);
  EXPECT_EQ(word.end.how, RankEnd::How::kKilled);
  EXPECT_EQ(word.end.code, SIGSEGV);
  EXPECT_FALSE(word.end.by_itself);
}

TEST(AgentWord, SaysThatANodeWasStopped) {
  RankEnd end{4711, RankEnd::How::kKilled, SIGKILL, false, {}};
  EXPECT_FALSE(std::get<NodeEnded>(sent(NodeEnded{3, end})).end.stopped);
  end.stopped = true;
  EXPECT_TRUE(std::get<NodeEnded>(sent(NodeEnded{3, end})).end.stopped);
}

TEST(AgentWord, SaysWhatANodeSaidAndWhomItBlames) {
  const auto word = std::get<NodeEnded>(sent(NodeEnded{3, {}, "rank 3: a | b\nc", 7}));
  EXPECT_EQ(word.why, "rank 3: a | b?c");
  EXPECT_EQ(word.culprit, 7);
  EXPECT_FALSE(std::get<NodeEnded>(sent(NodeEnded{})).culprit);
}

TEST(AgentWord, SaysWhyNothingStartsInOneLine) {
  const auto word = std::get<AgentRefuses>(sent(AgentRefuses{"no\nprogram", "a | b"}));
  EXPECT_EQ(word.what, "no?program");
  EXPECT_EQ(word.hint, "a | b");
}

TEST(AgentWord, IsNoOtherLine) {
  for (const char* line : {"", "hello", "[0] trireme-agent|ready|x", "trireme-agent|", "trireme-agent|ready",
                           "trireme-agent|end|1", "trireme-agent|end|x|1|exited|0|told to"}) {
    EXPECT_FALSE(decode_agent_word(line)) << line;
  }
}

TEST(NodeLine, HasTheRankThatItBeginsWith) {
  const std::string said = rank_prefix(3, 12) + "[ 4] text";
  const auto line = decode_node_line(said, 12);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->rank, 3);
  EXPECT_EQ(line->text, "[ 4] text");
}

TEST(NodeLine, IsNoLineOfSomebodyElse) {
  for (const char* line : {"", "ssh: no such host", "[3] x", "[  ] x", "[12] x", "[-1] x", "[ 1]"}) {
    EXPECT_FALSE(decode_node_line(line, 12)) << line;
  }
}

}  // namespace
}  // namespace trireme::launch::ssh
