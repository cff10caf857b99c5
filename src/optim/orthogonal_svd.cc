// Eigen's part of orthogonal.h. By default Eigen asks the processor for the sizes of its caches, and orders
// its sums by them: here they are fixed.
#include "optim/orthogonal.h"

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/SVD>

#include <cmath>
#include <limits>

namespace trireme::optim {
namespace {

constexpr double kLeast = 1e-3;  // of the largest singular value

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

void orthogonalize_by_svd(const Matrix& matrix) {
  const double norm = frobenius_norm(matrix.values);
  if (norm == 0) return;
  if (!std::isfinite(norm)) {
    for (float& value : matrix.values) value = std::numeric_limits<float>::quiet_NaN();
    return;
  }
  Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 4 << 20);
  Eigen::Map<Rows> whole(matrix.values.data(), static_cast<Eigen::Index>(matrix.rows),
                         static_cast<Eigen::Index>(matrix.columns));
  const Eigen::MatrixXd scaled = whole.cast<double>() / norm;
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd& values = svd.singularValues();
  Eigen::Index kept = 0;
  while (kept < values.size() && values[kept] >= kLeast * values[0]) ++kept;
  whole = (svd.matrixU().leftCols(kept) * svd.matrixV().leftCols(kept).transpose()).cast<float>();
}

}  // namespace trireme::optim
