#include "rounds/agreement.h"

#include <gtest/gtest.h>

#include "exec/fabrics_test_util.h"

namespace trireme::rounds {
namespace {

constexpr std::chrono::seconds kTimeout(60);

// Rank 0 has finished first: rank 1 leads the last round.
TEST(Agreement, RemembersWhoLedAndThatSomeHadFinished) {
  exec::run_on(exec::Fabric::kThreads, 2, [](wire::Wire& wire) {
    const DriveChoice drive(std::nullopt, wire.rank(), kTimeout);
    Agreement agreement(wire, 0, true, drive, kTimeout);
    RoundNote note;
    note.kind = RoundKind::kAverage;
    EXPECT_EQ(agreement.on(note).active, 2);
    EXPECT_EQ(agreement.last_leader(), 0);
    EXPECT_FALSE(agreement.was_uneven());
    EXPECT_EQ(agreement.on(wire.rank() == 0 ? RoundNote{} : note).active, 1);
    EXPECT_EQ(agreement.on({}).kind, RoundKind::kFollow);
    EXPECT_EQ(agreement.last_leader(), 1);
    EXPECT_TRUE(agreement.was_uneven());
  });
}

TEST(Agreement, TellsWhichExchangeAndWhoDrives) {
  exec::run_on(exec::Fabric::kThreads, 2, [](wire::Wire& wire) {
    DriveChoice drive(Drive::kHooks, wire.rank(), kTimeout);
    if (wire.rank() == 0) drive.begin_overlap();
    EXPECT_EQ(Agreement(wire, 3, true, drive, kTimeout).on({}).drive,
              static_cast<std::int32_t>(Drive::kHooks));
    EXPECT_THROW(static_cast<void>(Agreement(wire, wire.rank(), true, drive, kTimeout).on({})), Error);
  });
}

}  // namespace
}  // namespace trireme::rounds
