#include "checkpoint/tensor.h"

#include <gtest/gtest.h>

namespace trireme::checkpoint {
namespace {

TEST(TensorType, IsFoundByItsName) {
  for (int i = 0; i <= static_cast<int>(TensorType::kF64); ++i) {
    const auto type = static_cast<TensorType>(i);
    EXPECT_EQ(tensor_type(name_of(type)), type);
  }
  EXPECT_EQ(tensor_type("f32"), std::nullopt);
  EXPECT_EQ(tensor_type(""), std::nullopt);
}

TEST(TensorType, HasASize) {
  EXPECT_EQ(size_of(TensorType::kBool), 1);
  EXPECT_EQ(size_of(TensorType::kF8E4M3), 1);
  EXPECT_EQ(size_of(TensorType::kBF16), 2);
  EXPECT_EQ(size_of(TensorType::kF32), 4);
  EXPECT_EQ(size_of(TensorType::kU64), 8);
}

TEST(TensorInfo, CountsItsBytes) {
  EXPECT_EQ(byte_count({"a", TensorType::kF32, {3, 4}}), 48);
  EXPECT_EQ(byte_count({"a", TensorType::kF64, {}}), 8);
  EXPECT_EQ(byte_count({"a", TensorType::kF64, {1ULL << 63, 4, 0}}), 0);
}

TEST(TensorInfo, HasNoSizeThatDoesNotFit64Bits) {
  EXPECT_EQ(byte_count({"a", TensorType::kU8, {1ULL << 32, 1ULL << 32}}), std::nullopt);
  EXPECT_EQ(byte_count({"a", TensorType::kF32, {1ULL << 62}}), std::nullopt);
  EXPECT_EQ(byte_count({"a", TensorType::kF32, {(1ULL << 62) - 1}}), ~std::uint64_t{3});
}

TEST(Shape, IsToldInWords) {
  EXPECT_EQ(shape_in_words(std::vector<std::uint64_t>{1000, 784}), "1000 × 784");
  EXPECT_EQ(shape_in_words({}), "a number");
}

}  // namespace
}  // namespace trireme::checkpoint
