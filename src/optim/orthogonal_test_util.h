// Shared by tests of matrices: some whose singular value decomposition is known, in double.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "base/random_stream.h"

namespace trireme::optim {

/// Columns of length `size` that are orthogonal to each other and of norm 1, one after the other; at most
/// `size` of them.
inline std::vector<double> orthonormal_columns(std::size_t size, std::size_t count, RandomStream& random) {
  std::vector<double> columns(size * count);
  for (double& value : columns) value = random.normal();
  for (std::size_t j = 0; j < count; ++j) {
    double* column = &columns[j * size];
    for (int twice = 0; twice < 2; ++twice) {
      for (std::size_t before = 0; before < j; ++before) {
        const double* other = &columns[before * size];
        double product = 0;
        for (std::size_t i = 0; i < size; ++i) product += column[i] * other[i];
        for (std::size_t i = 0; i < size; ++i) column[i] -= product * other[i];
      }
    }
    double squares = 0;
    for (std::size_t i = 0; i < size; ++i) squares += column[i] * column[i];
    for (std::size_t i = 0; i < size; ++i) column[i] /= std::sqrt(squares);
  }
  return columns;
}

/// A random matrix with these singular values, at most as many as it has rows and columns.
struct KnownMatrix {
  KnownMatrix(std::size_t rows_, std::size_t columns_, std::vector<double> singular, std::uint64_t seed)
      : rows(rows_), columns(columns_), singular_values(std::move(singular)) {
    RandomStream random(seed, "known matrix");
    left = orthonormal_columns(rows, singular_values.size(), random);
    right = orthonormal_columns(columns, singular_values.size(), random);
  }

  /// U·f(S)·Vᵀ
  template <typename Function>
  [[nodiscard]] std::vector<double> with_values(Function f) const {
    std::vector<double> matrix(rows * columns);
    for (std::size_t k = 0; k < singular_values.size(); ++k) {
      for (std::size_t i = 0; i < rows; ++i) {
        const double factor = left[k * rows + i] * f(singular_values[k]);
        for (std::size_t j = 0; j < columns; ++j) matrix[i * columns + j] += factor * right[k * columns + j];
      }
    }
    return matrix;
  }

  /// The matrix times a factor, rounded.
  [[nodiscard]] std::vector<float> floats(double factor = 1) const {
    const std::vector<double> matrix = with_values([&](double s) { return s * factor; });
    return {matrix.begin(), matrix.end()};
  }

  std::size_t rows;
  std::size_t columns;
  std::vector<double> singular_values;
  std::vector<double> left;
  std::vector<double> right;
};

inline double distance(const std::vector<float>& a, const std::vector<double>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    squares += difference * difference;
  }
  return std::sqrt(squares);
}

}  // namespace trireme::optim
