#include "wire/or_leave.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <stdexcept>

#include "wire/threads/in_process.h"
#include "wire/wire_test_util.h"

namespace trireme::wire {
namespace {

// The failure that rank 1 gets when it waits for rank 0.
Failure heard_by_the_other(threads::InProcessFabric& fabric) {
  std::array<std::byte, 8> into{};
  return failure_of_leaving(fabric.wire(1), [&] { receive_and_wait(fabric.wire(1), 0, 0, into); });
}

TEST(OrLeave, ReturnsWhatTheBodyReturns) {
  threads::InProcessFabric fabric(2);
  EXPECT_EQ(or_leave_during("counting", fabric.wire(0), [] { return 7; }), 7);
}

TEST(OrLeave, TellsTheOthersOfAnErrorAndPassesItOn) {
  threads::InProcessFabric fabric(2);
  try {
    or_leave_during("counting", fabric.wire(0), [] { throw bad_input("there is nothing to count"); });
    ADD_FAILURE() << "the error is lost";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().op, "counting");
    EXPECT_EQ(error.failure().what, "there is nothing to count");
  }
  EXPECT_NE(heard_by_the_other(fabric).what.find("there is nothing to count"), std::string::npos);
}

TEST(OrLeave, CallsAnExceptionAFailureOfThisNodeAndNoLostPeer) {
  threads::InProcessFabric fabric(2);
  Failure completed;
  EXPECT_THROW(or_leave(
                   fabric.wire(0), [] { throw std::runtime_error("out of paper"); },
                   [&](Failure& failure) { completed = failure; }),
               std::runtime_error);
  EXPECT_EQ(completed.cause, Failure::Cause::kFailed);
  EXPECT_EQ(completed.what, "out of paper");
  EXPECT_NE(heard_by_the_other(fabric).what.find("out of paper"), std::string::npos);
}

}  // namespace
}  // namespace trireme::wire
