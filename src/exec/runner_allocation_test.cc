// A prepared Runner and the in-process wire work in the memory that they have.

// Clang's ThreadSanitizer brings an operator new that cannot be replaced; the test is for builds without it.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TRIREME_CANNOT_COUNT_ALLOCATIONS
#endif
#endif
#ifndef TRIREME_CANNOT_COUNT_ALLOCATIONS

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "exec/exchange_test_util.h"

// Counts what a thread allocates while it asks for that, in the whole test program. Not inlined: GCC warns of
// mismatched pairs when it sees only one half.
namespace {
thread_local bool counting = false;
std::atomic<int> allocations = 0;
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  if (counting) ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort asks like this.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (counting) ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace trireme::exec {
namespace {

TEST(Runner, AllocatesNothingAfterItsFirstRuns) {
  for (const plan::PlanSpec& spec : all_specs(4, 1000)) {
    std::vector<Numbers> buffers = small_numbers(spec, ElementType::kFloat32);
    allocations = 0;
    on_runners(spec, ElementType::kFloat32, [&](Rank rank, Runner& runner) {
      for (int run = 0; run < 20; ++run) {
        counting = run >= 2;
        runner.run(buffers[idx(rank)], in_time());
      }
      counting = false;
    });
    EXPECT_EQ(allocations, 0) << in_words(spec);
  }
}

}  // namespace
}  // namespace trireme::exec

#endif  // TRIREME_CANNOT_COUNT_ALLOCATIONS
