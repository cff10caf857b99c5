#include "base/system/process.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "base/system/process_test_util.h"

namespace trireme {
namespace {

// No file can be opened as long as this object lives.
class NoDescriptorsLeft {
 public:
  NoDescriptorsLeft() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptorsLeft() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptorsLeft(const NoDescriptorsLeft&) = delete;
  NoDescriptorsLeft& operator=(const NoDescriptorsLeft&) = delete;

 private:
  rlimit before_{};
};

pid_t ended_and_reaped() {
  const std::unique_ptr<Child> child = idle_child();
  const pid_t process = child->process();
  child->kill();
  child->reap();
  return process;
}

TEST(ProcessState, TellsTheLivingFromTheStoppedAndTheGone) {
  EXPECT_EQ(state_of(::getpid()), ProcessState::kAlive);
  const std::unique_ptr<Child> child = idle_child();
  EXPECT_EQ(state_of(child->process()), ProcessState::kAlive);
  child->stop();
  EXPECT_EQ(state_of(child->process()), ProcessState::kStopped);
  child->go_on();
  EXPECT_TRUE(comes_true([&] { return state_of(child->process()) == ProcessState::kAlive; }));
}

TEST(ProcessState, OfOneThatHasEndedButWasNotWaitedForIsGone) {
  const std::unique_ptr<Child> child = idle_child();
  child->kill();
  EXPECT_TRUE(comes_true([&] { return state_of(child->process()) == ProcessState::kGone; }));
}

TEST(ProcessState, OfOneThatIsNotThereIsGone) {
  EXPECT_EQ(state_of(ended_and_reaped()), ProcessState::kGone);
}

TEST(ProcessWatch, TellsWhenAProcessEnds) {
  const std::unique_ptr<Child> child = idle_child();
  const ProcessWatch watch(child->process());
  EXPECT_FALSE(watch.ended());
  child->stop();
  EXPECT_FALSE(watch.ended());
  child->kill();
  EXPECT_TRUE(comes_true([&] { return watch.ended(); }));
  child->reap();
  EXPECT_TRUE(watch.ended());
}

TEST(ProcessWatch, CountsAProcessThatIsNotThereAsEnded) {
  EXPECT_TRUE(ProcessWatch(ended_and_reaped()).ended());
}

TEST(ProcessWatch, CanBeMoved) {
  const pid_t gone = ended_and_reaped();
  ProcessWatch watch(::getpid());
  ProcessWatch moved(std::move(watch));
  EXPECT_FALSE(moved.ended());
  ProcessWatch assigned(gone);
  assigned = std::move(moved);
  EXPECT_FALSE(assigned.ended());
}

// A host with many nodes needs many descriptors; running out of them must not look like a death.
TEST(ProcessWatch, DoesNotTakeAProcessForDeadForWantOfADescriptor) {
  const std::unique_ptr<Child> child = idle_child();
  const auto watch = [&] {
    const NoDescriptorsLeft none;
    ProcessWatch made(child->process());
    EXPECT_FALSE(made.ended());
    return made;
  }();
  EXPECT_FALSE(watch.ended());
  child->kill();
  EXPECT_TRUE(comes_true([&] { return watch.ended(); }));
}

}  // namespace
}  // namespace trireme
