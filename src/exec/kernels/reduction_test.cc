#include "exec/kernels/reduction.h"

#include <gtest/gtest.h>

#include <string>

namespace trireme::exec {
namespace {

TEST(Reduction, HasAName) {
  std::string names;
  for (const Reduction reduction : all_reductions()) names += std::string(name(reduction)) + " ";
  EXPECT_EQ(names, "sum average product min max ");
}

}  // namespace
}  // namespace trireme::exec
