#include "optim/geometry/least_norm.h"

#include <Eigen/Dense>
#include <cmath>

namespace trireme::optim {
namespace {

using DenseMatrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// The coefficients, with column i divided by scale i.
DenseMatrix matrix_of(const LinearSystem& system, std::span<const double> scales) {
  DenseMatrix matrix(system.size(), system.unknowns());
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const std::vector<double>& row = system.equations()[static_cast<std::size_t>(i)].coefficients;
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      matrix(i, j) = row[at] / scales[at];
    }
  }
  return matrix;
}

Vector right_sides(const LinearSystem& system) {
  Vector right(system.size());
  for (Eigen::Index i = 0; i < right.size(); ++i) {
    right(i) = system.equations()[static_cast<std::size_t>(i)].right;
  }
  return right;
}

std::vector<double> ones(const LinearSystem& system) { return std::vector<double>(system.unknowns(), 1.0); }

// Solves with rows of length 1: this changes no solution, and no equation counts less than another for its
// size. Up to rounding errors, each equation then holds if there is a solution.
bool has_solution(const DenseMatrix& matrix, const Vector& right) {
  constexpr double kTolerance = 1e-9;
  const Vector sizes = matrix.rowwise().norm();
  const DenseMatrix rows = sizes.cwiseInverse().asDiagonal() * matrix;
  const Vector sides = right.cwiseQuotient(sizes);
  const Vector theta = rows.completeOrthogonalDecomposition().solve(sides);
  const Vector errors = (sides - rows * theta).cwiseAbs();
  return (errors.array() <= kTolerance * (sides.cwiseAbs().array() + theta.norm())).all();
}

}  // namespace

Solutions solve(const LinearSystem& system) {
  const DenseMatrix matrix = matrix_of(system, ones(system));
  const Vector right = right_sides(system);
  const Eigen::CompleteOrthogonalDecomposition<DenseMatrix> decomposition(matrix);
  const Vector theta = decomposition.solve(right);
  return {.exist = has_solution(matrix, right),
          .are_many = decomposition.rank() < matrix.cols(),
          .least = {theta.begin(), theta.end()}};
}

std::vector<double> least_rescaled(const LinearSystem& system, std::span<const double> scales) {
  const Vector theta = matrix_of(system, scales).completeOrthogonalDecomposition().solve(right_sides(system));
  std::vector<double> least(theta.begin(), theta.end());
  for (std::size_t i = 0; i < least.size(); ++i) least[i] /= scales[i];
  return least;
}

std::vector<double> least_of_one(const Equation& equation, const VectorNorm& norm) {
  const double factor = equation.right / dual_length(norm, equation.coefficients);
  std::vector<double> theta = dual_direction(norm, equation.coefficients);
  for (double& one : theta) one *= factor;
  return theta;
}

std::vector<double> feature_scales(const LinearSystem& system) {
  std::vector<double> scales(system.unknowns());
  for (const Equation& equation : system.equations()) {
    for (std::size_t i = 0; i < scales.size(); ++i) {
      scales[i] += equation.coefficients[i] * equation.coefficients[i];
    }
  }
  for (double& scale : scales) {
    scale = scale == 0 ? 1 : std::sqrt(scale / static_cast<double>(system.size()));
  }
  return scales;
}

double largest_eigenvalue(const LinearSystem& system, std::span<const double> scales) {
  const DenseMatrix matrix = matrix_of(system, scales);
  // A·Aᵀ and AᵀA have the same largest eigenvalue: the smaller of them is enough.
  const bool is_wide = matrix.cols() > matrix.rows();
  const DenseMatrix square =
      is_wide ? DenseMatrix(matrix * matrix.transpose()) : DenseMatrix(matrix.transpose() * matrix);
  const Eigen::SelfAdjointEigenSolver<DenseMatrix> solver(square, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().maxCoeff() / static_cast<double>(matrix.rows());
}

}  // namespace trireme::optim
