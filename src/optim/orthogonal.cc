#include "optim/orthogonal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random_stream.h"
#include "optim/block_sum.h"
#include "optim/matrix_product.h"

namespace trireme::optim {
namespace {

using Floats = std::vector<float>;

constexpr double kStart = 1.5;  // where the largest singular value begins; all below √3 converge
constexpr double kNoChange = 1e-3;
constexpr int kMostGrowing = 17;
constexpr int kSharpening = 3;
constexpr int kPowerIterations = 40;

/// The matrix, or its transpose, at least as wide as high: products with its own transpose are smaller then.
class Wide {
 public:
  explicit Wide(const Matrix& matrix)
      : is_transposed_(matrix.rows > matrix.columns),
        rows_(std::min(matrix.rows, matrix.columns)),
        columns_(std::max(matrix.rows, matrix.columns)),
        values_(matrix.values.begin(), matrix.values.end()) {
    if (is_transposed_) copy_transposed(matrix.values, values_, matrix.rows, matrix.columns);
  }

  void store(const Matrix& matrix) const {
    if (is_transposed_) return copy_transposed(values_, matrix.values, rows_, columns_);
    std::copy(values_.begin(), values_.end(), matrix.values.begin());
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] Floats& values() { return values_; }

  /// X·Xᵀ
  [[nodiscard]] Floats gram() const {
    Floats product(rows_ * rows_);
    multiply_by_transpose(by_rows(values_.data(), rows_, columns_), product.data());
    return product;
  }

  /// left·right, of a square matrix and one of this shape.
  [[nodiscard]] Floats product(const Floats& left, const Floats& right) const {
    Floats product(values_.size());
    multiply(by_rows(left.data(), rows_, rows_), by_rows(right.data(), rows_, columns_), product.data());
    return product;
  }

 private:
  static void copy_transposed(std::span<const float> from, std::span<float> into, std::size_t rows,
                              std::size_t columns) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) into[j * rows + i] = from[i * columns + j];
    }
  }

  bool is_transposed_;
  std::size_t rows_;
  std::size_t columns_;
  Floats values_;
};

void multiply_all(std::span<float> values, double factor) {
  for (float& value : values) value = static_cast<float>(static_cast<double>(value) * factor);
}

// Fills in what a matrix becomes that has no direction: whether it was one.
bool has_no_direction(const Matrix& matrix, double norm) {
  if (norm > 0 && std::isfinite(norm)) return false;
  if (norm != 0)
    std::fill(matrix.values.begin(), matrix.values.end(), std::numeric_limits<float>::quiet_NaN());
  return true;
}

// Of a positive semidefinite matrix; from below.
double largest_eigenvalue(const Floats& matrix, std::size_t size) {
  RandomStream random(0, "power iteration");
  Floats vector(size);
  for (float& value : vector) value = static_cast<float>(random.uniform() - 0.5);
  double value = 0;
  for (int i = 0; i < kPowerIterations; ++i) {
    multiply_all(vector, 1 / frobenius_norm(vector));
    Floats next(size);
    for (std::size_t row = 0; row < size; ++row) {
      const float factor = vector[row];
      const float* from = matrix.data() + row * size;
      for (std::size_t j = 0; j < size; ++j) next[j] += factor * from[j];
    }
    vector = std::move(next);
    value = frobenius_norm(vector);
  }
  return value;
}

// X ← 1.5·X − 0.5·X·Xᵀ·X. Returns the norm of the change.
double grow(Wide& x) {
  const Floats cube = x.product(x.gram(), x.values());
  const double squares = sum_of(cube.size(), [&](std::size_t i) {
    const double change = 0.5 * (static_cast<double>(x.values()[i]) - static_cast<double>(cube[i]));
    return change * change;
  });
  for (std::size_t i = 0; i < cube.size(); ++i) x.values()[i] = 1.5F * x.values()[i] - 0.5F * cube[i];
  return std::sqrt(squares);
}

// X ← 2.5·X·Xᵀ·X − 1.5·(X·Xᵀ)²·X
void sharpen(Wide& x) {
  const Floats gram = x.gram();
  const Floats cube = x.product(gram, x.values());
  const Floats fifth = x.product(gram, cube);
  for (std::size_t i = 0; i < cube.size(); ++i) x.values()[i] = 2.5F * cube[i] - 1.5F * fifth[i];
}

void muon_step(Wide& x) {
  const Floats gram = x.gram();
  Floats polynomial(gram.size());
  multiply_by_transpose(by_rows(gram.data(), x.rows(), x.rows()), polynomial.data());  // it is symmetric
  for (std::size_t i = 0; i < gram.size(); ++i) polynomial[i] = -4.775F * gram[i] + 2.0315F * polynomial[i];
  const Floats rest = x.product(polynomial, x.values());
  for (std::size_t i = 0; i < rest.size(); ++i) x.values()[i] = 3.4445F * x.values()[i] + rest[i];
}

}  // namespace

double frobenius_norm(std::span<const float> values) {
  return std::sqrt(sum_of(values.size(), [&](std::size_t i) {
    return static_cast<double>(values[i]) * static_cast<double>(values[i]);
  }));
}

void orthogonalize(const Matrix& matrix) {
  const double norm = frobenius_norm(matrix.values);
  if (has_no_direction(matrix, norm)) return;
  multiply_all(matrix.values, 1 / norm);
  if (std::min(matrix.rows, matrix.columns) == 1) return;
  Wide x(matrix);
  multiply_all(x.values(), kStart / std::sqrt(largest_eigenvalue(x.gram(), x.rows())));
  bool still = false;
  for (int i = 0; i < kMostGrowing && !still; ++i) still = grow(x) < kNoChange;
  for (int i = 0; i < (still ? 1 : kSharpening); ++i) sharpen(x);
  x.store(matrix);
}

void orthogonalize_roughly(const Matrix& matrix) {
  const double norm = frobenius_norm(matrix.values);
  if (has_no_direction(matrix, norm)) return;
  multiply_all(matrix.values, 1 / std::max(norm, 1e-7));
  Wide x(matrix);
  for (int i = 0; i < 5; ++i) muon_step(x);
  x.store(matrix);
}

}  // namespace trireme::optim
