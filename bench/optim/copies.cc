#include "copies.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copies.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rules_bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void stream_all(const float* from, float* into, std::size_t count) {
  const hn::ScalableTag<float> d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) hn::Stream(hn::Load(d, from + i), d, into + i);
  hwy::FlushStream();
}

void copy_all(const float* from, float* into, std::size_t count) {
  const hn::ScalableTag<float> d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) hn::Store(hn::Load(d, from + i), d, into + i);
}

}  // namespace rules_bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rules_bench {

HWY_EXPORT(stream_all);
HWY_EXPORT(copy_all);

void copy(const float* from, float* into, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(copy_all)(from, into, count);
}

void copy_streaming(const float* from, float* into, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(stream_all)(from, into, count);
}

}  // namespace rules_bench
#endif  // HWY_ONCE
