// Norms, vectors and equations for the tests of this folder.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "optim/geometry/linear_system.h"
#include "optim/geometry/vector_norm.h"

namespace trireme::optim {

inline constexpr VectorNorm kL1{.kind = VectorNorm::Kind::kL1};
inline constexpr VectorNorm kL2{.kind = VectorNorm::Kind::kL2};
inline constexpr VectorNorm kLinf{.kind = VectorNorm::Kind::kLinf};

constexpr VectorNorm lp(double p) { return {.kind = VectorNorm::Kind::kLp, .p = p}; }

inline const std::vector<VectorNorm> kSomeNorms = {kL1, kL2, kLinf, lp(1.5), lp(3), lp(7)};

/// Multiples of 1/4 from −10 to 10, so that zeros and ties are frequent.
inline rc::Gen<std::vector<double>> some_vector(std::size_t least, std::size_t most) {
  return rc::gen::mapcat(rc::gen::inRange(least, most + 1), [](std::size_t size) {
    return rc::gen::container<std::vector<double>>(
        size, rc::gen::map(rc::gen::inRange(-40, 41), [](int quarters) { return quarters / 4.0; }));
  });
}

/// The equation of case 7 of the facts: (1, 0.1, 0.01)ᵀθ = 1.
inline LinearSystem case_7() { return LinearSystem({{.coefficients = {1, 0.1, 0.01}, .right = 1}}); }

}  // namespace trireme::optim
