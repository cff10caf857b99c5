#include "server/parameter_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/types.h"
#include "exec/fabrics_test_util.h"

namespace trireme {
namespace {

constexpr Fabric kFabrics[] = {Fabric::kThreads, Fabric::kShmThreads, Fabric::kTcpThreads};

TEST(ParameterFlags, AreHeardByThoseWhoFollow) {
  const std::vector<std::string> names{"a", "b", "c"};
  for (const Fabric fabric : kFabrics) {
    run_on(fabric, 3, [&](Wire& wire) {
      std::optional<ParameterFlags> own;
      if (wire.rank() != 1) own = ParameterFlags{1, 0, 1};
      EXPECT_EQ(agree_on_trained(wire, own, names, in_time()), (ParameterFlags{1, 0, 1}));
    });
  }
}

TEST(ParameterFlags, ThatDifferAreNamedWithTheirRanks) {
  const std::vector<std::string> names{"a", "b", "c"};
  for (const Fabric fabric : kFabrics) {
    run_on(fabric, 4, [&](Wire& wire) {
      std::optional<ParameterFlags> own;
      if (wire.rank() != 1) own = ParameterFlags{1, static_cast<std::uint8_t>(wire.rank() == 2 ? 0 : 1), 0};
      try {
        static_cast<void>(agree_on_trained(wire, own, names, in_time()));
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
  for (const Fabric fabric : kFabrics) {
    run_on(fabric, 3, [&](Wire& wire) {
      ParameterFlags own(5);
      own[idx(wire.rank())] = own[0] = 1;
      EXPECT_EQ(on_any_node(wire, own, in_time()), (ParameterFlags{1, 1, 1, 0, 0}));
    });
  }
}

}  // namespace
}  // namespace trireme
