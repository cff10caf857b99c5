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
    const Standing standing;
    Agreement agreement(wire, 0, true, drive, standing, kTimeout);
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
    const Standing standing;
    EXPECT_EQ(Agreement(wire, 3, true, drive, standing, kTimeout).on({}).drive,
              static_cast<std::int32_t>(Drive::kHooks));
    EXPECT_THROW(static_cast<void>(Agreement(wire, wire.rank(), true, drive, standing, kTimeout).on({})),
                 Error);
  });
}

TEST(Agreement, TellsAllWhatAnyNodeWishesAndWhatEachHasWritten) {
  exec::run_on(exec::Fabric::kThreads, 3, [](wire::Wire& wire) {
    const DriveChoice drive(std::nullopt, wire.rank(), kTimeout);
    Standing standing;
    Agreement agreement(wire, 0, true, drive, standing, kTimeout);
    if (wire.rank() == 1) standing.wishes = kWishSave;
    if (wire.rank() == 2) standing.wishes = kWishStop;
    standing.written = wire.rank() == 1 ? 4 : 5;
    const Round round = agreement.on({});
    EXPECT_EQ(round.wishes, kWishSave | kWishStop);
    EXPECT_EQ(round.written, 4);
  });
}

}  // namespace
}  // namespace trireme::rounds
