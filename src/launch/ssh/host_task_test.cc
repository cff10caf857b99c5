#include "launch/ssh/host_task.h"

#include <gtest/gtest.h>

#include <csignal>

#include "base/error.h"

namespace trireme::launch::ssh {
namespace {

HostTask some_task() {
  return {.first_rank = 4,
          .nodes = 2,
          .job_size = 8,
          .timeout = std::chrono::milliseconds(1500),
          .secret = "0123456789abcdef",
          .wire = "tcp",
          .folder = "/a folder",
          .meet = "a:4711",
          .hosts = {"a", "b"},
          .program = {"./train", "", "two\nlines, \xff:\x01"}};
}

TEST(HostTask, ArrivesAsItWasSent) {
  OrderReader reader;
  const std::vector<Order> orders = reader.take(encode(some_task()));
  ASSERT_EQ(orders.size(), 1U);
  const auto& task = std::get<HostTask>(orders[0]);
  EXPECT_EQ(task.first_rank, 4);
  EXPECT_EQ(task.nodes, 2);
  EXPECT_EQ(task.job_size, 8);
  EXPECT_EQ(task.timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(task.secret, "0123456789abcdef");
  EXPECT_EQ(task.wire, "tcp");
  EXPECT_EQ(task.folder, "/a folder");
  EXPECT_EQ(task.meet, "a:4711");
  EXPECT_EQ(task.hosts, some_task().hosts);
  EXPECT_EQ(task.program, some_task().program);
}

TEST(HostTask, MayLeaveTimeoutAndWireToTheProgram) {
  OrderReader reader;
  const std::vector<Order> orders = reader.take(encode(HostTask{}));
  EXPECT_FALSE(std::get<HostTask>(orders.at(0)).timeout);
  EXPECT_EQ(std::get<HostTask>(orders.at(0)).wire, "");
}

TEST(Orders, ArriveWhereverTheirBytesAreCut) {
  const std::string bytes =
      encode(some_task()) + encode(MeetOrder{"a:1"}) + encode(SignalOrder{SIGINT}) + encode(EndedOrder{7});
  OrderReader reader;
  std::vector<Order> orders;
  for (const char byte : bytes) {
    for (Order& order : reader.take({&byte, 1})) orders.push_back(std::move(order));
  }
  ASSERT_EQ(orders.size(), 4U);
  EXPECT_EQ(std::get<MeetOrder>(orders[1]).address, "a:1");
  EXPECT_EQ(std::get<SignalOrder>(orders[2]).signal, SIGINT);
  EXPECT_EQ(std::get<EndedOrder>(orders[3]).rank, 7);
}

TEST(Orders, ThatCannotBeReadAreRefused) {
  for (const char* bytes : {"hello there", "3:abc;", ":abc,", "99999999999:", "-1:a,", "3:abc,", "7:4:dance,",
                            "13:6:signal,1:x,,", "9:6:task 2,,"}) {
    OrderReader reader;
    EXPECT_THROW((void)reader.take(bytes), Error) << bytes;
  }
}

}  // namespace
}  // namespace trireme::launch::ssh
