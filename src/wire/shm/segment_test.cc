#include "wire/shm/segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "wire/roster/roster.h"
#include "wire/shm/channel.h"
#include "wire/shm/shm_test_util.h"

namespace trireme::wire::shm {
namespace {

using ::testing::HasSubstr;

int empty_file() { return ::memfd_create("test", MFD_CLOEXEC); }

// The head of a real job's file: magic and number of nodes.
std::vector<std::uint64_t> head_of_a_job(Rank nodes) {
  std::vector<std::uint64_t> head(2);
  EXPECT_EQ(::pread(Segment::create(nodes)->fd(), head.data(), 16, 0), 16);
  return head;
}

int file_with(const std::vector<std::uint64_t>& head, off_t size) {
  const int fd = empty_file();
  EXPECT_EQ(::ftruncate(fd, size), 0);
  EXPECT_EQ(::pwrite(fd, head.data(), 16, 0), 16);
  return fd;
}

void expect_refused(int fd) {
  try {
    static_cast<void>(Segment::open(fd));
    ADD_FAILURE() << "it should have been refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    EXPECT_THAT(error.failure().what, HasSubstr("file descriptor " + std::to_string(fd) + " is not"));
    EXPECT_FALSE(error.failure().hint.empty());
  }
}

TEST(Segment, IsTheSameMemoryForWhoeverOpensItsFile) {
  const std::shared_ptr<Segment> made = Segment::create(3);
  const std::shared_ptr<Segment> opened = Segment::open(::dup(made->fd()));
  EXPECT_EQ(opened->nodes(), 3);
  EXPECT_NE(&opened->job_memory().tick_line(2), &made->job_memory().tick_line(2));
  made->job_memory().tick_line(2).notes[0].tick = 77;
  EXPECT_EQ(opened->job_memory().tick_line(2).notes[0].tick, 77U);
}

TEST(Segment, OpensOnlyAJobsFile) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  expect_refused(pipe[0]);
  const std::vector<std::uint64_t> head = head_of_a_job(2);
  const off_t enough = 64 << 20;
  const int empty = empty_file();
  expect_refused(empty);
  const int other = file_with({head[0] + 1, 2}, enough);
  expect_refused(other);
  const int cut_short = file_with(head, 4096);
  expect_refused(cut_short);
  const int nobody = file_with({head[0], 0}, enough);
  expect_refused(nobody);
  const int too_many = file_with({head[0], std::uint64_t{1} << 40}, enough);
  expect_refused(too_many);
  for (const int fd : {pipe[0], pipe[1], empty, other, cut_short, nobody, too_many}) ::close(fd);
  expect_refused(empty);  // which is closed now
}

TEST(Segment, RefusesNumbersOfNodesThatItIsNotFor) {
  EXPECT_THROW(static_cast<void>(Segment::create(0)), Error);
  EXPECT_THROW(static_cast<void>(Segment::create(Segment::kMostNodes + 1)), Error);
}

TEST(Segment, HasPartsThatDoNotOverlap) {
  for (const Rank nodes : {1, 2, 3, 17}) {
    const std::shared_ptr<Segment> segment = Segment::create(nodes);
    std::vector<std::pair<std::byte*, std::size_t>> parts;  // in the order in which they lie
    parts.emplace_back(segment->roster(), Roster::bytes_for(nodes));
    for (Rank node = 0; node < nodes; ++node) {
      parts.emplace_back(reinterpret_cast<std::byte*>(&segment->bell(node)), sizeof(Bell));
    }
    const GroupMemory memory = segment->job_memory();
    parts.emplace_back(reinterpret_cast<std::byte*>(&memory.departures()), sizeof(memory.departures()));
    for (Rank node = 0; node < nodes; ++node) {
      parts.emplace_back(reinterpret_cast<std::byte*>(&memory.tick_line(node)), sizeof(TickLine));
    }
    for (Rank node = 0; node < nodes; ++node) {
      parts.emplace_back(reinterpret_cast<std::byte*>(&memory.signature_line(node)), sizeof(SignatureLine));
    }
    for (Rank node = 0; node < nodes; ++node)
      parts.emplace_back(memory.stage(node), GroupMemory::kStageBytes);
    for (Rank from = 0; from < nodes; ++from) {
      for (Rank to = 0; to < nodes; ++to) {
        parts.emplace_back(segment->channel(from, to), sizeof(ChannelLines) + segment->ring_bytes());
      }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(parts[i].first) % 128, 0U);
      std::memset(parts[i].first, 0, parts[i].second);  // it is there
      if (i > 0) {
        EXPECT_GE(parts[i].first, parts[i - 1].first + parts[i - 1].second);
      }
    }
  }
}

TEST(Segment, TakesMemoryAndGivesItBack) {
  const ShmJob job(1);
  const std::size_t offset = job.segment().windows_offset();
  const std::int64_t before = job.allocated_bytes();
  job.segment().reserve(offset, 1 << 20);
  EXPECT_EQ(job.allocated_bytes(), before + (1 << 20));
  job.segment().release(offset, 1 << 20);
  EXPECT_EQ(job.allocated_bytes(), before);
}

TEST(Segment, SaysHowMuchMemoryCannotBeHad) {
  const std::shared_ptr<Segment> segment = Segment::create(1);
  try {
    segment->reserve(segment->windows_offset(), std::size_t{1} << 63);  // more than a file can have
    FAIL() << "it should have thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.failure().what, HasSubstr("of shared memory cannot be had"));
    EXPECT_FALSE(error.failure().hint.empty());
  }
}

TEST(Segment, MapsARangeOnceForAllWhoNeedIt) {
  const std::shared_ptr<Segment> segment = Segment::create(1);
  const std::size_t offset = segment->windows_offset();
  segment->reserve(offset, 8192);
  std::shared_ptr<Mapping> first = segment->map(offset, 4096);
  EXPECT_EQ(segment->map(offset, 4096), first);
  EXPECT_NE(segment->map(offset + 4096, 4096), first);
  *first->data() = std::byte{5};
  first.reset();
  EXPECT_EQ(*segment->map(offset, 4096)->data(), std::byte{5});
}

TEST(Segment, KnowsTheFirstFailureOfItsJob) {
  ShmJob job(2);
  EXPECT_FALSE(job.segment().first_failure());
  Failure failure;
  failure.what = "the disk is full";
  job.wire(1).leave(failure);
  ASSERT_TRUE(job.segment().first_failure());
  EXPECT_EQ(job.segment().first_failure()->what, "the disk is full");
  EXPECT_EQ(job.segment().first_failure()->rank, 1);
}

TEST(MemoryLeft, IsSomeAndNotMoreThanThereIs) {
  EXPECT_GT(memory_left(), 0U);
  EXPECT_LE(memory_left(), idx(::sysconf(_SC_PHYS_PAGES)) * idx(::sysconf(_SC_PAGESIZE)));
}

TEST(RequireMemory, AsksForAllNodesTogether) {
  EXPECT_NO_THROW(require_memory(4, 1000, 4000));
  EXPECT_THROW(require_memory(4, 1000, 3999), Error);
  EXPECT_THROW(require_memory(1024, SIZE_MAX / 2, SIZE_MAX - 1), Error);
}

TEST(RequireMemory, SaysWhatIsNeededAndWhatHelps) {
  try {
    require_memory(4, 3'000'000, 5'000'000);
    FAIL() << "it should have thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().what,
              "the windows of 4 nodes need 3 MB each of shared memory, 5 MB are left in all");
    EXPECT_THAT(error.failure().hint, HasSubstr("docker run --memory"));
  }
}

}  // namespace
}  // namespace trireme::wire::shm
