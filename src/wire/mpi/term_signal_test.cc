#include "wire/mpi/term_signal.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace trireme::wire::mpi {
namespace {

using testing::KilledBySignal;

// Runs in its own process: the signal belongs to the process, and the timer after it ends that process.
template <typename Body>
void in_a_process(Body body, int expected_status) {
  EXPECT_EXIT(::_exit(body()), testing::ExitedWithCode(expected_status), "");
}

TEST(TermSignal, IsSeenAndDoesNotEndTheProcessAtOnce) {
  in_a_process(
      [] {
        const TermSignal term;
        if (term.came()) return 1;
        ::raise(SIGTERM);
        return term.came() ? 0 : 2;
      },
      0);
}

TEST(TermSignal, EndsTheProcessWhenItComesAgain) {
  EXPECT_EXIT(
      {
        const TermSignal term;
        ::raise(SIGTERM);
        ::raise(SIGTERM);
        ::_exit(0);
      },
      KilledBySignal(SIGTERM), "");
}

TEST(TermSignal, EndsAProcessThatDoesNotLookAtIt) {
  EXPECT_EXIT(
      {
        const TermSignal term;
        ::raise(SIGTERM);
        for (;;) ::pause();
      },
      KilledBySignal(SIGTERM), "");
}

TEST(TermSignal, StillEndsAProcessThatHasLetGoOfIt) {
  EXPECT_EXIT(
      {
        {
          const TermSignal term;
          ::raise(SIGTERM);
        }
        for (;;) ::pause();
      },
      KilledBySignal(SIGTERM), "");
}

TEST(TermSignal, LeavesAHandlerOfTheProgramAlone) {
  in_a_process(
      [] {
        ::signal(SIGTERM, SIG_IGN);
        const TermSignal term;
        ::raise(SIGTERM);
        return term.came() ? 1 : 0;
      },
      0);
}

}  // namespace
}  // namespace trireme::wire::mpi
