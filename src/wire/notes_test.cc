#include "wire/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "wire/shm/shm_test_util.h"
#include "wire/threads/in_process.h"

namespace trireme::wire {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Bytes all_notes(Rank nodes, std::size_t length) {
  Bytes all;
  for (Rank rank = 0; rank < nodes; ++rank) {
    const Bytes note = pattern(length, rank);
    all.insert(all.end(), note.begin(), note.end());
  }
  return all;
}

TEST(ShareNotes, GivesEverybodyEverybodysNoteInSharedMemory) {
  for (const Rank nodes : {1, 2, 5}) {
    for (const std::size_t length : {0U, 1U, 100U, 200'000U, 262'144U, 700'000U}) {
      const shm::ShmJob job(nodes);
      job.on_all([&](shm::ShmWire& wire) {
        EXPECT_EQ(share_notes(wire, pattern(length, wire.rank()), "testing", soon()),
                  all_notes(nodes, length));
      });
    }
  }
}

TEST(ShareNotes, GivesEverybodyEverybodysNoteBetweenThreads) {
  for (const Rank nodes : {2, 3, 8, 9}) {
    threads::InProcessFabric fabric(nodes);
    std::vector<std::function<void()>> acts;
    for (Rank rank = 0; rank < nodes; ++rank) {
      acts.emplace_back([&fabric, nodes, rank] {
        for (int round = 0; round < 3; ++round) {
          EXPECT_EQ(share_notes(fabric.wire(rank), pattern(100, rank), "testing", soon()),
                    all_notes(nodes, 100));
        }
      });
    }
    on_threads(acts);
  }
}

TEST(ShareNotes, CanBeRepeated) {
  const shm::ShmJob job(3);
  job.on_all([&](shm::ShmWire& wire) {
    for (int round = 0; round < 50; ++round) {
      EXPECT_EQ(share_notes(wire, pattern(8, wire.rank()), "testing", soon()), all_notes(3, 8));
    }
  });
}

TEST(ShareNotes, SaysWhatItWasForWhenANodeDoesNotCome) {
  const shm::ShmJob job(2);
  try {
    static_cast<void>(share_notes(job.wire(0), Bytes(8), "testing", Deadline::after(30ms)));
    FAIL() << "it should have thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().op, "testing");
    EXPECT_EQ(error.failure().culprit, 1);
    EXPECT_EQ(job.segment().first_failure()->what, error.failure().what);
  }
}

TEST(ShareNotes, EndsOnAllNodesWhenTheyBringDifferentLengths) {
  const shm::ShmJob job(3);
  job.on_all([&](shm::ShmWire& wire) {
    EXPECT_THROW(static_cast<void>(share_notes(wire, Bytes(wire.rank() == 2 ? 9 : 8), "testing", soon())),
                 Error);
  });
  EXPECT_THAT(job.segment().first_failure()->what, HasSubstr("rank 2 at testing, with a note of 9 bytes"));
}

}  // namespace
}  // namespace trireme::wire
