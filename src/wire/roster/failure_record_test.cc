#include "wire/roster/failure_record.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "wire/wire_test_util.h"

namespace trireme::wire {
namespace {

using namespace std::chrono_literals;

Failure full_failure() {
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.what = "what";
  failure.rank = 1;
  failure.peer = 2;
  failure.culprit = 3;
  failure.op_id = 4;
  failure.op = "op";
  failure.elapsed = 5ns;
  failure.hint = "hint";
  return failure;
}

std::string kept_of(const std::string& what) {
  FailureRecord record;
  Failure failure;
  failure.what = what;
  record.put(failure);
  return record.get()->what;
}

TEST(FailureRecord, GivesBackEverythingThatIsKnown) {
  FailureRecord record;
  record.put(full_failure());
  EXPECT_EQ(to_string(*record.get()), to_string(full_failure()));
  EXPECT_EQ(record.get()->cause, Failure::Cause::kMismatch);
  EXPECT_EQ(record.get()->culprit, 3);
  EXPECT_EQ(record.get()->op_id, 4);
  EXPECT_EQ(record.get()->elapsed, 5ns);
}

TEST(FailureRecord, KnowsWhatIsNotKnown) {
  FailureRecord record;
  record.put({});
  ASSERT_TRUE(record.get());
  EXPECT_FALSE(record.get()->rank);
  EXPECT_FALSE(record.get()->peer);
  EXPECT_FALSE(record.get()->culprit);
  EXPECT_FALSE(record.get()->op_id);
  EXPECT_FALSE(record.get()->elapsed);
}

TEST(FailureRecord, IsEmptyInMemoryFullOfZeros) {
  alignas(FailureRecord) std::byte memory[sizeof(FailureRecord)];
  std::memset(memory, 0, sizeof(memory));
  auto& record = *reinterpret_cast<FailureRecord*>(memory);
  EXPECT_FALSE(record.any());
  EXPECT_FALSE(record.get());
  record.put(full_failure());
  EXPECT_TRUE(record.any());
  EXPECT_TRUE(record.get());
}

TEST(FailureRecord, KeepsTheFirst) {
  FailureRecord record;
  record.put(full_failure());
  record.put({});
  EXPECT_EQ(record.get()->what, "what");
}

TEST(FailureRecord, KeepsExactlyOneOfManyAtOnce) {
  for (int round = 0; round < 50; ++round) {
    FailureRecord record;
    std::atomic<bool> begun = false;
    std::vector<std::function<void()>> writers;
    for (Rank rank = 0; rank < 4; ++rank) {
      writers.emplace_back([&, rank] {
        Failure failure;
        failure.rank = failure.culprit = rank;
        failure.what = failure.op = failure.hint = std::string(900, static_cast<char>('a' + rank));
        while (!begun) std::this_thread::yield();
        record.put(failure);
        EXPECT_TRUE(record.any());
      });
    }
    writers.emplace_back([&] {
      begun = true;
      EXPECT_TRUE([&] {
        const Deadline deadline = soon();
        while (!record.get() && !deadline.expired()) std::this_thread::yield();
        return record.get().has_value();
      }());
      const Failure first = *record.get();
      const std::string text(900, static_cast<char>('a' + *first.rank));
      EXPECT_EQ(first.culprit, first.rank);
      EXPECT_EQ(first.what, text);
      EXPECT_EQ(first.op, text);
      EXPECT_EQ(first.hint, text);
    });
    on_threads(writers);
  }
}

TEST(FailureRecord, KeepsATextThatJustFits) {
  const std::string fits(1023, 'x');
  EXPECT_EQ(kept_of(fits), fits);
  EXPECT_EQ(kept_of(fits + "y"), fits);
}

TEST(FailureRecord, CutsATextBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "ü";  // two bytes each
  EXPECT_EQ(kept_of(text), text.substr(0, 1022));
  EXPECT_EQ(kept_of("x" + text), "x" + text.substr(0, 1022));
  std::string dots;
  for (int i = 0; i < 1000; ++i) dots += "…";  // three
  EXPECT_EQ(kept_of(dots), dots.substr(0, 1023));
  EXPECT_EQ(kept_of("x" + dots), "x" + dots.substr(0, 1020));
  EXPECT_EQ(kept_of("xy" + dots), "xy" + dots.substr(0, 1020));
}

}  // namespace
}  // namespace trireme::wire
