#include "rounds/arrivals.h"

#include <algorithm>

#include "base/types.h"

namespace trireme::rounds {

void Arrivals::set_buckets(std::size_t count) {
  missing_.resize(count);
  ready_.resize(count);
}

void Arrivals::begin() {
  forget();
  std::fill(missing_.begin(), missing_.end(), 0);
  std::fill(ready_.begin(), ready_.end(), false);
}

std::size_t Arrivals::open() const {
  return idx(std::find(ready_.begin(), ready_.end(), false) - ready_.begin());
}

bool Arrivals::any() const {
  return std::any_of(times_.begin(), times_.end(), [](std::int32_t times) { return times > 0; });
}

void Arrivals::forget() { std::fill(times_.begin(), times_.end(), 0); }

}  // namespace trireme::rounds
