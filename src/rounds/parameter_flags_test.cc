#include "rounds/parameter_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/types.h"
#include "exec/fabrics_test_util.h"

namespace trireme::rounds {
namespace {

constexpr exec::Fabric kFabrics[] = {exec::Fabric::kThreads, exec::Fabric::kShmThreads,
                                     exec::Fabric::kTcpThreads};

TEST(ParameterFlags, AreHeardByThoseWhoFollow) {
  const std::vector<std::string> names{"a", "b", "c"};
  for (const exec::Fabric fabric : kFabrics) {
    exec::run_on(fabric, 3, [&](wire::Wire& wire) {
      std::optional<ParameterFlags> own;
      if (wire.rank() != 1) own = ParameterFlags{1, 0, 1};
      EXPECT_EQ(agree_on_trained(wire, own, names, exec::in_time()), (ParameterFlags{1, 0, 1}));
    });
  }
}

TEST(ParameterFlags, ThatDifferAreNamedWithTheirRanks) {
  const std::vector<std::string> names{"a", "b", "c"};
  for (const exec::Fabric fabric : kFabrics) {
    exec::run_on(fabric, 4, [&](wire::Wire& wire) {
      std::optional<ParameterFlags> own;
      if (wire.rank() != 1) own = ParameterFlags{1, static_cast<std::uint8_t>(wire.rank() == 2 ? 0 : 1), 0};
      try {
        static_cast<void>(agree_on_trained(wire, own, names, exec::in_time()));
        ADD_FAILURE() << "no complaint";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("b requires a gradient on ranks 0 and 3 "
                                                     "and is frozen on rank 2"));
        EXPECT_EQ(error.failure().culprit, 2);
      }
    });
  }
}

TEST(ParameterFlags, HoldIfTheyDoOnAnyNode) {
  for (const exec::Fabric fabric : kFabrics) {
    exec::run_on(fabric, 3, [&](wire::Wire& wire) {
      ParameterFlags own(5);
      own[idx(wire.rank())] = own[0] = 1;
      EXPECT_EQ(on_any_node(wire, own, exec::in_time()), (ParameterFlags{1, 1, 1, 0, 0}));
    });
  }
}

}  // namespace
}  // namespace trireme::rounds
