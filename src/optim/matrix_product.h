// Products of float32 matrices with the same bits on every processor.
//
// Every element of the product is added up over k = 0, 1, 2, … in this order, with a multiplication and an
// addition that are each rounded to float32: neither the width of vectors nor the blocks in which the work is
// done matter.
#pragma once

#include <cstddef>

namespace trireme::optim {

/// A matrix in memory of others. Element (i, k) is data[i·row_stride + k·column_stride].
struct MatrixView {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 1;

  [[nodiscard]] MatrixView transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

/// A matrix row after row.
[[nodiscard]] inline MatrixView by_rows(const float* data, std::size_t rows, std::size_t columns) {
  return {data, rows, columns, columns, 1};
}

/// a·b into `product`, row after row. It overlaps neither of them.
void multiply(const MatrixView& a, const MatrixView& b, float* product);

/// a·aᵀ, which is symmetric: only one half is computed.
void multiply_by_transpose(const MatrixView& a, float* product);

}  // namespace trireme::optim
