// How much of a long list of trials a test goes through.
#pragma once

#include <cstdlib>

namespace trireme {

#if !defined(__has_feature)  // by GCC
#define __has_feature(feature) 0
#endif
inline constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);

/// One in how many trials is run: all of them by `make test-long`, one in `usual` otherwise, and one in
/// `sanitized` under a sanitizer, where everything takes several times as long.
inline int one_trial_in(int usual, int sanitized) {
  if (std::getenv("TRIREME_TEST_LONG") != nullptr) return 1;
  return kSanitized ? sanitized : usual;
}

}  // namespace trireme
