// Both factors are copied into panels in the order in which the innermost loop reads them; it keeps a tile of
// four rows and two vectors of the product in registers. A block of the factors stays in cache meanwhile.
#include "optim/matrix_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optim/matrix_product.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace trireme::optim::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::ScalableTag<float>;

constexpr std::size_t kTileRows = 4;
constexpr std::size_t kMostTileColumns = 2 * hn::MaxLanes(FloatTag());
// How much of the rows of a, of the columns of b, and of the sum over k is in a block.
constexpr std::size_t kRows = 192;
constexpr std::size_t kColumns = 1024;
constexpr std::size_t kDepth = 256;

HWY_INLINE std::size_t tile_columns() { return 2 * hn::Lanes(FloatTag()); }

constexpr std::size_t rounded_up(std::size_t count, std::size_t unit) {
  return (count + unit - 1) / unit * unit;
}

MatrixView block_of(const MatrixView& whole, std::size_t row, std::size_t column, std::size_t rows,
                    std::size_t columns) {
  return {whole.data + row * whole.row_stride + column * whole.column_stride,
          std::min(rows, whole.rows - row), std::min(columns, whole.columns - column), whole.row_stride,
          whole.column_stride};
}

// Copies a block into panels of so many rows: for each column, the elements of these rows one after the
// other, with zeros where there is no row.
void pack(const MatrixView& block, std::size_t panel, float* into) {
  for (std::size_t first = 0; first < block.rows; first += panel) {
    const std::size_t rows = std::min(panel, block.rows - first);
    const float* from = block.data + first * block.row_stride;
    for (std::size_t k = 0; k < block.columns; ++k, into += panel, from += block.column_stride) {
      for (std::size_t i = 0; i < rows; ++i) into[i] = from[i * block.row_stride];
      std::fill(into + rows, into + panel, 0.0F);
    }
  }
}

// Adds the products of two panels to a tile whose rows are `stride` apart.
HWY_INLINE void add_products(std::size_t depth, const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                             float* HWY_RESTRICT tile, std::size_t stride) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  float* const row1 = tile + stride;
  float* const row2 = row1 + stride;
  float* const row3 = row2 + stride;
  auto sum00 = hn::LoadU(d, tile);
  auto sum01 = hn::LoadU(d, tile + lanes);
  auto sum10 = hn::LoadU(d, row1);
  auto sum11 = hn::LoadU(d, row1 + lanes);
  auto sum20 = hn::LoadU(d, row2);
  auto sum21 = hn::LoadU(d, row2 + lanes);
  auto sum30 = hn::LoadU(d, row3);
  auto sum31 = hn::LoadU(d, row3 + lanes);
  for (std::size_t k = 0; k < depth; ++k, a += kTileRows, b += 2 * lanes) {
    const auto b0 = hn::Load(d, b);
    const auto b1 = hn::Load(d, b + lanes);
    const auto a0 = hn::Set(d, a[0]);
    sum00 = hn::Add(sum00, hn::Mul(a0, b0));
    sum01 = hn::Add(sum01, hn::Mul(a0, b1));
    const auto a1 = hn::Set(d, a[1]);
    sum10 = hn::Add(sum10, hn::Mul(a1, b0));
    sum11 = hn::Add(sum11, hn::Mul(a1, b1));
    const auto a2 = hn::Set(d, a[2]);
    sum20 = hn::Add(sum20, hn::Mul(a2, b0));
    sum21 = hn::Add(sum21, hn::Mul(a2, b1));
    const auto a3 = hn::Set(d, a[3]);
    sum30 = hn::Add(sum30, hn::Mul(a3, b0));
    sum31 = hn::Add(sum31, hn::Mul(a3, b1));
  }
  hn::StoreU(sum00, d, tile);
  hn::StoreU(sum01, d, tile + lanes);
  hn::StoreU(sum10, d, row1);
  hn::StoreU(sum11, d, row1 + lanes);
  hn::StoreU(sum20, d, row2);
  hn::StoreU(sum21, d, row2 + lanes);
  hn::StoreU(sum30, d, row3);
  hn::StoreU(sum31, d, row3 + lanes);
}

// A tile at the edge of the product takes a detour through a whole one.
HWY_NOINLINE void add_products_at_edge(std::size_t depth, const float* a, const float* b, float* tile,
                                       std::size_t stride, std::size_t rows, std::size_t columns) {
  HWY_ALIGN_MAX float whole[kTileRows * kMostTileColumns] = {};
  for (std::size_t i = 0; i < rows; ++i)
    std::memcpy(whole + i * kMostTileColumns, tile + i * stride, columns * sizeof(float));
  add_products(depth, a, b, whole, kMostTileColumns);
  for (std::size_t i = 0; i < rows; ++i)
    std::memcpy(tile + i * stride, whole + i * kMostTileColumns, columns * sizeof(float));
}

/// A block of the product: where it is, and its packed factors.
struct Block {
  std::size_t row;
  std::size_t column;
  std::size_t rows;
  std::size_t columns;
  std::size_t depth;
  const float* a;
  const float* b;
};

// `lower`: tiles with nothing but elements above the diagonal are left out.
void add_block(const Block& block, float* product, std::size_t stride, bool lower) {
  const std::size_t width = tile_columns();
  for (std::size_t j = 0; j < block.columns; j += width) {
    const float* b = block.b + j * block.depth;
    const std::size_t columns = std::min(width, block.columns - j);
    for (std::size_t i = 0; i < block.rows; i += kTileRows) {
      const std::size_t rows = std::min(kTileRows, block.rows - i);
      if (lower && block.column + j >= block.row + i + rows) continue;
      const float* a = block.a + i * block.depth;
      float* tile = product + (block.row + i) * stride + block.column + j;
      if (rows == kTileRows && columns == width) {
        add_products(block.depth, a, b, tile, stride);
      } else {
        add_products_at_edge(block.depth, a, b, tile, stride, rows, columns);
      }
    }
  }
}

void multiply_any(const MatrixView& a, const MatrixView& b, float* product, bool lower) {
  const std::size_t stride = b.columns;
  std::fill(product, product + a.rows * stride, 0.0F);
  if (a.rows == 0 || a.columns == 0 || stride == 0) return;
  const std::size_t depth = std::min(kDepth, a.columns);
  const auto packed_a = hwy::AllocateAligned<float>(rounded_up(std::min(kRows, a.rows), kTileRows) * depth);
  const auto packed_b =
      hwy::AllocateAligned<float>(rounded_up(std::min(kColumns, stride), tile_columns()) * depth);
  for (std::size_t column = 0; column < stride; column += kColumns) {
    for (std::size_t k = 0; k < a.columns; k += kDepth) {
      const MatrixView of_b = block_of(b, k, column, kDepth, kColumns).transposed();
      pack(of_b, tile_columns(), packed_b.get());
      for (std::size_t row = 0; row < a.rows; row += kRows) {
        const MatrixView of_a = block_of(a, row, k, kRows, kDepth);
        pack(of_a, kTileRows, packed_a.get());
        add_block({row, column, of_a.rows, of_b.rows, of_a.columns, packed_a.get(), packed_b.get()}, product,
                  stride, lower);
      }
    }
  }
}

}  // namespace trireme::optim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cassert>

namespace trireme::optim {

HWY_EXPORT(multiply_any);

void multiply(const MatrixView& a, const MatrixView& b, float* product) {
  assert(a.columns == b.rows);
  HWY_DYNAMIC_DISPATCH(multiply_any)(a, b, product, false);
}

void multiply_by_transpose(const MatrixView& a, float* product) {
  HWY_DYNAMIC_DISPATCH(multiply_any)(a, a.transposed(), product, true);
  // In squares, so that what is read down a column stays in cache.
  constexpr std::size_t kSquare = 32;
  const std::size_t n = a.rows;
  for (std::size_t first = 0; first < n; first += kSquare) {
    for (std::size_t column = first; column < n; column += kSquare) {
      for (std::size_t i = first; i < std::min(n, first + kSquare); ++i) {
        for (std::size_t j = std::max(column, i + 1); j < std::min(n, column + kSquare); ++j)
          product[i * n + j] = product[j * n + i];
      }
    }
  }
}

}  // namespace trireme::optim
#endif  // HWY_ONCE
