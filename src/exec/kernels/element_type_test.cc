#include "exec/kernels/element_type.h"

#include <gtest/gtest.h>

namespace trireme::exec {
namespace {

TEST(ElementType, IsFoundByItsName) {
  for (const ElementType type : all_element_types()) EXPECT_EQ(find_element_type(name(type)), type);
  EXPECT_EQ(find_element_type("float8"), std::nullopt);
}

TEST(ElementType, KnowsItsSize) {
  EXPECT_EQ(size_of(ElementType::kFloat64), 8);
  EXPECT_EQ(size_of(ElementType::kInt64), 8);
  EXPECT_EQ(size_of(ElementType::kFloat32), 4);
  EXPECT_EQ(size_of(ElementType::kInt32), 4);
  EXPECT_EQ(size_of(ElementType::kFloat16), 2);
  EXPECT_EQ(size_of(ElementType::kBFloat16), 2);
  EXPECT_EQ(size_of(ElementType::kInt8), 1);
  EXPECT_EQ(size_of(ElementType::kUint8), 1);
}

}  // namespace
}  // namespace trireme::exec
