// Matrices whose singular values are made equal: U·S·Vᵀ becomes U·Vᵀ. The same bits on every processor.
//
// Singular values below 1e-3 of the largest are taken as noise: they become 0, because a layer's gradient has
// at most the rank of its global batch, and noise that is driven up to 1 is no update. The decomposition cuts
// exactly there. The iteration takes at most 20 steps on X, which begins as the matrix times 1.5 / (its
// largest singular value, estimated by power iterations from below; up to 15 % less do no harm):
//
//   at most 17 times  X ← 1.5·X − 0.5·X·Xᵀ·X            all singular values grow towards 1; it ends when the
//                                                       change of X has a norm below 1e-3
//   then              X ← 2.5·X·Xᵀ·X − 1.5·(X·Xᵀ)²·X    those above √⅔ go to 1, those below to 0; once if the
//                                                       change had become small, else three times
//
// Where s is a singular value relative to the largest, this makes of it
//
//   s       1.5e-3   1e-3     9e-4    8e-4   7e-4   6e-4   5e-4   4e-4     3e-4   1e-4    1e-6
//   result  1        0.9997   0.995   0.95   0.75   0.32   0.05   0.0013   4e-6   4e-18   0
//
// and, beyond that, float32 has errors of about 1e-6, and 3e-7/s in the directions of small values.
#pragma once

#include <cstddef>
#include <span>

namespace trireme::optim {

/// A matrix, row after row, that is overwritten. One of zeros stays as it is, and one with an element that is
/// not finite becomes NaN everywhere.
struct Matrix {
  std::span<float> values;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

/// U·Vᵀ by the iteration, in float32. A matrix of one row or column is divided by its norm.
void orthogonalize(const Matrix& matrix);

/// U·Vᵀ by a singular value decomposition, in double.
void orthogonalize_by_svd(const Matrix& matrix);

/// Muon's five steps in float32: X ← a·X + b·A·X + c·A²·X with A = X·Xᵀ, (a, b, c) = (3.4445,
/// −4.775, 2.0315), from the matrix divided by the larger of its Frobenius norm and 1e-7. Singular values end
/// between about 0.7 and 1.2, those below 1e-3 of the norm less.
void orthogonalize_roughly(const Matrix& matrix);

/// The Frobenius norm, with the squares added up as in block_sum.h.
[[nodiscard]] double frobenius_norm(std::span<const float> values);

}  // namespace trireme::optim
