#include "world/unknown_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trireme::world {
namespace {

TEST(UnknownVariables, AreNamedWithTheNearestThatThereIs) {
  const char* const environment[] = {"TRIREME_TIMEOT=5s", "TRIREME_COLOUR=red", "HOME=/", nullptr};
  EXPECT_THAT(unknown_variables(environment),
              testing::ElementsAre("the variable TRIREME_TIMEOT has no effect; did you mean TRIREME_TIMEOUT?",
                                   "the variable TRIREME_COLOUR has no effect"));
}

TEST(UnknownVariables, AreNotThoseThatAreRead) {
  const char* const environment[] = {"TRIREME_RANK=0", "TRIREME_WIRE=tcp", "TRIREME_TEST_LONG=1", nullptr};
  EXPECT_THAT(unknown_variables(environment), testing::IsEmpty());
}

}  // namespace
}  // namespace trireme::world
