#include "optim/matrix_product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "optim/rule_test_util.h"
#include "optim/targets_test_util.h"

namespace trireme::optim {
namespace {

using Floats = std::vector<float>;

// As the header says: one element after the other, over k in order.
Floats product_by_hand(const MatrixView& a, const MatrixView& b) {
  Floats product(a.rows * b.columns);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.columns; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < a.columns; ++k)
        sum +=
            a.data[i * a.row_stride + k * a.column_stride] * b.data[k * b.row_stride + j * b.column_stride];
      product[i * b.columns + j] = sum;
    }
  }
  return product;
}

Floats product_of(const MatrixView& a, const MatrixView& b) {
  Floats product(a.rows * b.columns, 7);
  multiply(a, b, product.data());
  return product;
}

RC_GTEST_PROP(MatrixProduct, HasTheBitsOfThePlainLoop, ()) {
  const auto size = [] {
    return *rc::gen::inRange<std::size_t>(0, *rc::gen::element<std::size_t>(4, 40, 90));
  };
  const std::size_t rows = size();
  const std::size_t inner = size();
  const std::size_t columns = size();
  const Floats a = random_floats(rows * inner, 1);
  const Floats b = random_floats(inner * columns, 2);
  MatrixView left = by_rows(a.data(), rows, inner);
  MatrixView right = by_rows(b.data(), inner, columns);
  if (*rc::gen::arbitrary<bool>()) left = by_rows(a.data(), inner, rows).transposed();
  if (*rc::gen::arbitrary<bool>()) right = by_rows(b.data(), columns, inner).transposed();
  RC_ASSERT(bits_of(product_of(left, right)) == bits_of(product_by_hand(left, right)));
}

// More than one block of rows, columns and depth; no multiple of a tile.
TEST(MatrixProduct, HasTheBitsOfThePlainLoopInSeveralBlocks) {
  const Floats a = random_floats(395 * 515, 1);
  const Floats b = random_floats(515 * 1043, 2);
  const MatrixView left = by_rows(a.data(), 395, 515);
  const MatrixView right = by_rows(b.data(), 515, 1043);
  EXPECT_EQ(bits_of(product_of(left, right)), bits_of(product_by_hand(left, right)));
}

TEST(MatrixProduct, HasTheSameBitsOnEveryInstructionSet) {
  const Floats a = random_floats(61 * 300, 1);
  const Floats b = random_floats(300 * 67, 2);
  std::vector<std::vector<std::uint32_t>> found;
  with_each_target(
      [&] { found.push_back(bits_of(product_of(by_rows(a.data(), 61, 300), by_rows(b.data(), 300, 67)))); });
  EXPECT_THAT(found, testing::Each(found[0]));
}

TEST(MatrixProduct, ByTheTransposeIsTheProductWithTheTranspose) {
  for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{217}}) {
    const Floats a = random_floats(rows * 50, 1);
    const MatrixView view = by_rows(a.data(), rows, 50);
    Floats product(rows * rows, 7);
    multiply_by_transpose(view, product.data());
    EXPECT_EQ(bits_of(product), bits_of(product_by_hand(view, view.transposed()))) << rows;
  }
}

}  // namespace
}  // namespace trireme::optim
