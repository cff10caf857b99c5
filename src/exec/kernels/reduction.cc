#include "exec/kernels/reduction.h"

#include <array>
#include <cstddef>

namespace trireme::exec {
namespace {

constexpr std::array<Reduction, 5> kReductions = {Reduction::kSum, Reduction::kAverage, Reduction::kProduct,
                                                  Reduction::kMin, Reduction::kMax};

// In the order of the enum.
constexpr std::array<std::string_view, kReductions.size()> kNames = {"sum", "average", "product", "min",
                                                                     "max"};

}  // namespace

std::string_view name(Reduction reduction) { return kNames[static_cast<std::size_t>(reduction)]; }

std::span<const Reduction> all_reductions() { return kReductions; }

}  // namespace trireme::exec
