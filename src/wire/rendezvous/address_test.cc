// Addresses as users write them, and sockets of this host.
#include "wire/rendezvous/address.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <chrono>
#include <thread>

#include "base/error.h"
#include "wire/wire_test_util.h"

namespace trireme::wire::rendezvous {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Failure failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.failure();
  }
  ADD_FAILURE() << "should have failed";
  return {};
}

std::string refusal(std::string_view text) {
  return failure_of([&] { (void)parse_address(text, "--meet"); }).what;
}

// A port at which almost certainly nobody listens.
std::uint16_t free_port() { return port_of(listen_at({"127.0.0.1", 0})); }

TEST(AnAddress, IsAHostAndAPort) {
  EXPECT_EQ(parse_address("10.0.0.7:4711", "--meet"), (Address{"10.0.0.7", 4711}));
  EXPECT_EQ(parse_address("node-1.cluster:0", "--meet"), (Address{"node-1.cluster", 0}));
  EXPECT_EQ(parse_address("[::1]:65535", "--meet"), (Address{"::1", 65535}));
}

TEST(AnAddress, IsWrittenAsItIsRead) {
  for (const char* text : {"10.0.0.7:4711", "localhost:1", "[fe80::2]:80"}) {
    EXPECT_EQ(to_string(parse_address(text, "--meet")), text);
  }
}

TEST(AWrongAddress, IsNamedWithWhatIsWrong) {
  EXPECT_EQ(refusal("10.0.0.7"), "--meet: '10.0.0.7' has no port");
  EXPECT_EQ(refusal(":80"), "--meet: ':80' has no host");
  EXPECT_EQ(refusal("a:65536"), "--meet: 'a:65536' has no port from 0 to 65535");
  for (const char* text : {"a:", "a:-1", "a:+1", "a:8o", "a:999999999999999999999"}) {
    EXPECT_THAT(refusal(text), HasSubstr("no port from 0 to 65535")) << text;
  }
  EXPECT_THAT(refusal("::1:80"), HasSubstr("stands in brackets"));
  for (const char* text : {"http://a:80", "a b:80", "[]:80", "u@a:80"}) {
    EXPECT_THAT(refusal(text), HasSubstr("does not name a host")) << text;
  }
  EXPECT_THAT(refusal(std::string(256, 'a') + ":80"), HasSubstr("does not name a host"));
}

TEST(AListener, TakesAFreePortWhenToldNone) {
  const Fd one = listen_at({"127.0.0.1", 0});
  const Fd other = listen_at({"127.0.0.1", 0});
  EXPECT_NE(port_of(one), 0);
  EXPECT_NE(port_of(one), port_of(other));
}

TEST(AListener, DoesNotBlockAndDoesNotSurviveAnExec) {
  const Fd listener = listen_at({"127.0.0.1", 0});
  EXPECT_NE(::fcntl(listener.get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(listener.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(AListener, IsAloneAtItsPort) {
  const Fd one = listen_at({"127.0.0.1", 0});
  const Failure failure = failure_of([&] { (void)listen_at({"127.0.0.1", port_of(one)}); });
  EXPECT_THAT(failure.what, HasSubstr("cannot listen at 127.0.0.1:"));
  EXPECT_THAT(failure.hint, HasSubstr("another port"));
}

TEST(AListener, IsNotFoundOnOtherHosts) {
  EXPECT_THAT(failure_of([] { (void)listen_at({"192.0.2.1", 0}); }).hint, HasSubstr("of this host"));
}

TEST(AListener, WithoutAHostIsReachedThroughAnyInterface) {
  const Fd listener = listen_at({"", 0});
  const Fd socket = connect_to({"127.0.0.1", port_of(listener)}, soon());
  EXPECT_TRUE(socket);
}

TEST(AConnection, SendsWithoutDelayAndDoesNotBlock) {
  const Fd listener = listen_at({"127.0.0.1", 0});
  const Fd socket = connect_to({"127.0.0.1", port_of(listener)}, soon());
  int no_delay = 0;
  socklen_t length = sizeof(no_delay);
  ASSERT_EQ(::getsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &no_delay, &length), 0);
  EXPECT_NE(no_delay, 0);
  EXPECT_NE(::fcntl(socket.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(AConnection, WaitsForSomebodyToListen) {
  const std::uint16_t port = free_port();
  Fd socket;
  std::jthread later([&] { socket = connect_to({"127.0.0.1", port}, soon()); });
  std::this_thread::sleep_for(50ms);
  const Fd listener = listen_at({"127.0.0.1", port});
  later.join();
  EXPECT_TRUE(socket);
}

TEST(AConnection, ThatNobodyTakesNamesAddressAndTime) {
  const Address address{"127.0.0.1", free_port()};
  const Failure failure = failure_of([&] { (void)connect_to(address, Deadline::after(60ms)); });
  EXPECT_EQ(failure.cause, Failure::Cause::kTimeout);
  EXPECT_THAT(failure.what, HasSubstr(to_string(address)));
  ASSERT_TRUE(failure.elapsed);
  EXPECT_GE(*failure.elapsed, 60ms);
}

TEST(AName, ThatLeadsNowhereIsNamed) {
  const Failure failure = failure_of([] { (void)connect_to({"no-such-host.invalid", 1}, soon()); });
  EXPECT_EQ(failure.cause, Failure::Cause::kBadInput);
  EXPECT_THAT(failure.what, HasSubstr("no address is known for the host 'no-such-host.invalid'"));
}

TEST(OwnHost, TowardsLoopbackIsLoopback) {
  EXPECT_EQ(own_host_towards("127.0.0.1"), "127.0.0.1");
  EXPECT_TRUE(is_loopback(own_host_towards("localhost")));
}

TEST(AnOrigin, OfAConnectionWithinThisHostIsLocal) {
  const Fd listener = listen_at({"127.0.0.1", 0});
  const Fd socket = connect_to({"127.0.0.1", port_of(listener)}, soon());
  EXPECT_EQ(origin_of(socket).host, "127.0.0.1");
  EXPECT_TRUE(origin_of(socket).is_local);
}

TEST(AToldAddress, IsListenedAtAndNowhereElse) {
  const Fd listener = listen_as_told({"127.0.0.1", 0});
  const std::uint16_t port = port_of(listener);
  EXPECT_TRUE(connect_to({"127.0.0.1", port}, soon()));
  EXPECT_THROW((void)connect_to({"127.0.0.2", port}, Deadline::after(std::chrono::milliseconds(50))), Error);
}

TEST(AToldAddress, OfAnotherHostIsRefusedAtOnce) {
  const Failure failure = failure_of([] { (void)listen_as_told({"192.0.2.7", 5000}); });
  EXPECT_EQ(failure.cause, Failure::Cause::kBadInput);
  EXPECT_THAT(failure.what, HasSubstr("192.0.2.7:5000"));
  EXPECT_EQ(failure.hint, "give an address of this host");
}

TEST(Loopback, IsRecognized) {
  EXPECT_TRUE(is_loopback("127.0.1.1"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_FALSE(is_loopback("10.0.0.7"));
}

}  // namespace
}  // namespace trireme::wire::rendezvous
