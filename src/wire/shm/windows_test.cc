#include "wire/shm/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "wire/notes.h"
#include "wire/shm/shm_test_util.h"

namespace trireme::wire::shm {
namespace {

using ::testing::HasSubstr;

// While it lives no file grows beyond this size. So a test that asks for too much memory can do no harm.
class FilesUpTo {
 public:
  explicit FilesUpTo(std::size_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit low = before_;
    low.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &low);
  }
  ~FilesUpTo() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FilesUpTo(const FilesUpTo&) = delete;
  FilesUpTo& operator=(const FilesUpTo&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

// The answer to each node that asks for so many bytes, by rank.
std::vector<Failure> refusals(const ShmJob& job, const std::function<std::size_t(Rank)>& bytes) {
  std::vector<Failure> failures(idx(job.nodes()));
  job.on_all([&](ShmWire& wire) {
    try {
      static_cast<void>(wire.windows()->make(wire, bytes(wire.rank()), soon()));
      ADD_FAILURE() << "rank " << wire.rank() << " should have been refused";
    } catch (const Error& error) {
      failures[idx(wire.rank())] = error.failure();
    }
  });
  return failures;
}

TEST(AWindow, HoldsZerosAndIsAsLongAsAskedFor) {
  const ShmJob job(3);
  for (const std::size_t bytes : {0U, 1U, 4096U, 4097U, 3U << 20}) {
    for (const Window& window : job.make_windows(bytes)) {
      EXPECT_EQ(window.bytes().size(), bytes);
      EXPECT_EQ(Bytes(window.bytes().begin(), window.bytes().end()), Bytes(bytes));
    }
  }
}

TEST(AWindow, IsSeenByAllNodes) {
  const ShmJob job(3);
  const std::vector<Window> windows = job.make_windows(100);
  for (Rank rank = 0; rank < 3; ++rank) {
    std::memset(windows[idx(rank)].bytes().data(), rank + 1, 100);
  }
  for (Rank rank = 0; rank < 3; ++rank) {
    const auto place = job.wire(rank).windows()->find(windows[idx(rank)].bytes());
    ASSERT_TRUE(place);
    for (Rank other = 0; other < 3; ++other) EXPECT_EQ(*place->at(other), static_cast<std::byte>(other + 1));
  }
}

TEST(AWindow, IsSeenByOtherProcesses) {
  const std::shared_ptr<Segment> segment = Segment::create(2);
  Child other([&] {
    ShmWire wire(segment, 1);
    const Window window = wire.windows()->make(wire, 100, soon());
    const Bytes brought = pattern(100, 5);
    std::copy(brought.begin(), brought.end(), window.bytes().begin());
    barrier(wire, soon());
    barrier(wire, soon());
  });
  ShmWire wire(segment, 0);
  const Window window = wire.windows()->make(wire, 100, soon());
  barrier(wire, soon());
  const std::byte* seen = wire.windows()->find(window.bytes())->at(1);
  EXPECT_EQ(Bytes(seen, seen + 100), pattern(100, 5));
  barrier(wire, soon());
  EXPECT_EQ(other.reap(), 0);
}

TEST(Find, KnowsWhatLiesInOneWindowAndWhatDoesNot) {
  const ShmJob job(2);
  const std::vector<Window> windows = job.make_windows(1000);
  const Windows& own = *job.wire(1).windows();
  std::byte* first = windows[1].bytes().data();
  const auto found = [&](const std::byte* begin, std::size_t bytes) {
    return own.find({begin, bytes}).has_value();
  };
  EXPECT_TRUE(found(first, 1000));
  EXPECT_TRUE(found(first + 100, 900));
  EXPECT_TRUE(found(first + 100, 5));
  EXPECT_FALSE(found(first + 100, 901));
  EXPECT_FALSE(found(first - 1, 10));
  EXPECT_FALSE(found(first + 1000, 1));
  EXPECT_FALSE(found(windows[0].bytes().data(), 10));  // another node's
  const Bytes elsewhere(10);
  EXPECT_FALSE(own.find(elsewhere));
  EXPECT_FALSE(own.find({}));
}

TEST(Find, GivesTheSamePlaceOnAllNodes) {
  const ShmJob job(3);
  const std::vector<Window> first = job.make_windows(5000);
  const std::vector<Window> second = job.make_windows(300);
  std::vector<std::uint64_t> offsets;
  for (const std::vector<Window>* windows : {&first, &second}) {
    for (Rank rank = 0; rank < 3; ++rank) {
      const std::span<std::byte> part = (*windows)[idx(rank)].bytes().subspan(200, 50);
      const auto place = job.wire(rank).windows()->find(part);
      ASSERT_TRUE(place);
      EXPECT_EQ(place->at(rank), part.data());
      offsets.push_back(place->offset);
    }
  }
  EXPECT_EQ(offsets[0], offsets[1]);
  EXPECT_EQ(offsets[0], offsets[2]);
  EXPECT_EQ(offsets[3], offsets[5]);
  EXPECT_NE(offsets[0], offsets[3]);
}

TEST(AtOffset, KnowsARangeOfAnyNodesPartWhileTheWindowIsThere) {
  const ShmJob job(2);
  std::vector<Window> windows = job.make_windows(4096);
  const Windows& own = *job.wire(0).windows();
  const auto place = *own.find(windows[0].bytes());
  EXPECT_EQ(own.at_offset(place.offset + place.stride + 7, 10), place.at(1) + 7);
  EXPECT_EQ(own.at_offset(place.offset + 2 * place.stride - 10, 10), place.at(1) + 4086);
  EXPECT_EQ(own.at_offset(place.offset + 2 * place.stride - 10, 11), nullptr);
  EXPECT_EQ(own.at_offset(place.offset - 1, 1), nullptr);
  EXPECT_EQ(own.at_offset(UINT64_MAX - 3, 10), nullptr);
  EXPECT_EQ(own.at_offset(place.offset, SIZE_MAX), nullptr);
  windows[0] = Window();
  EXPECT_EQ(own.at_offset(place.offset, 1), nullptr);
}

TEST(AWindow, GivesItsMemoryBack) {
  const ShmJob job(2);
  static_cast<void>(job.make_windows(1));  // whatever agreeing needs is there afterwards
  const std::int64_t before = job.allocated_bytes();
  {
    std::vector<Window> windows = job.make_windows(3 << 20);
    EXPECT_GE(job.allocated_bytes(), before + (6 << 20));
    windows[0] = Window();
    EXPECT_LT(job.allocated_bytes(), before + (6 << 20));
    EXPECT_GE(job.allocated_bytes(), before + (3 << 20));
  }
  EXPECT_EQ(job.allocated_bytes(), before);
}

TEST(AWindow, CanBeMoved) {
  const ShmJob job(1);
  Window window = job.wire(0).windows()->make(job.wire(0), 10, soon());
  const std::byte* data = window.bytes().data();
  Window moved(std::move(window));
  EXPECT_EQ(moved.bytes().data(), data);
  Window assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.bytes().data(), data);
  EXPECT_TRUE(job.wire(0).windows()->find(assigned.bytes()));
  { const Window last = std::move(assigned); }
  EXPECT_EQ(job.wire(0).windows()->at_offset(job.segment().windows_offset(), 1), nullptr);
}

TEST(Windows, CanBeMadeAndDroppedAHundredTimes) {
  const ShmJob job(2);
  static_cast<void>(job.make_windows(1));
  const std::int64_t before = job.allocated_bytes();
  job.on_all([](ShmWire& wire) {
    Window kept;
    for (int i = 0; i < 100; ++i) {
      Window window = wire.windows()->make(wire, 50'000, soon());
      EXPECT_EQ(window.bytes()[17], std::byte{0});
      window.bytes()[17] = std::byte{1};
      if (i % 7 == 0) kept = std::move(window);
    }
  });
  EXPECT_LT(job.allocated_bytes(), before + 1'000'000);  // the rings through which the nodes agree
}

TEST(Windows, OfDifferentSizesAreRefusedOnAllNodesAlike) {
  const ShmJob job(3);
  for (const Failure& failure : refusals(job, [](Rank rank) { return rank == 2 ? 200 : 100; })) {
    EXPECT_EQ(failure.cause, Failure::Cause::kMismatch);
    EXPECT_EQ(failure.culprit, 2);
    EXPECT_EQ(failure.what, "rank 2 asks for 200 bytes, rank 0 for 100");
    EXPECT_FALSE(failure.hint.empty());
  }
  EXPECT_EQ(job.segment().first_failure()->culprit, 2);
}

TEST(Windows, LargerThanTheMemoryLeftAreRefusedOnAllNodesAndTakeNothing) {
  for (const std::size_t bytes : {std::size_t{1} << 50, SIZE_MAX / 2, SIZE_MAX - 5000, SIZE_MAX}) {
    const ShmJob job(2);
    static_cast<void>(job.make_windows(1));
    const std::int64_t before = job.allocated_bytes();
    const FilesUpTo limit(job.segment().windows_offset() + (64 << 20));
    for (const Failure& failure : refusals(job, [&](Rank) { return bytes; })) {
      EXPECT_EQ(failure.cause, Failure::Cause::kBadInput);
      EXPECT_THAT(failure.what, HasSubstr("the windows of 2 nodes need"));
      EXPECT_THAT(failure.hint, HasSubstr("use smaller buffers or fewer workers"));
    }
    EXPECT_EQ(job.allocated_bytes(), before);
    EXPECT_THAT(job.segment().first_failure()->what, HasSubstr("the windows of 2 nodes need"));
  }
}

// Only the first node's part lies below the limit on the size of files.
TEST(Windows, ForWhichOneNodeHasNoMemoryTakeNothing) {
  const ShmJob job(2);
  static_cast<void>(job.make_windows(1));
  const std::int64_t before = job.allocated_bytes();
  const std::vector<Failure> failures = [&] {
    const FilesUpTo limit(job.segment().windows_offset() + (4 << 20));  // windows of huge pages begin at one
    return refusals(job, [](Rank) { return std::size_t{2} << 20; });
  }();
  EXPECT_EQ(failures[0].what, "rank 1 has no memory for its window");
  EXPECT_FALSE(failures[0].hint.empty());
  EXPECT_THAT(failures[1].what, HasSubstr("more than the limit on the size of files"));
  EXPECT_EQ(job.allocated_bytes(), before);
}

TEST(Stages, HaveTwoHalvesOnEveryNode) {
  const ShmJob job(2);
  const Windows& windows = *job.wire(0).windows();
  for (Rank node = 0; node < 2; ++node) {
    EXPECT_EQ(windows.stage(0).at(node), job.segment().job_memory().stage(node));
    EXPECT_EQ(windows.stage(1).at(node), job.segment().job_memory().stage(node) + Windows::stage_bytes());
  }
}

}  // namespace
}  // namespace trireme::wire::shm
