#include "data/dataset.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "base/types.h"

namespace trireme::data {

std::int64_t Dataset::sample_size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::span<const std::uint8_t> Dataset::sample(std::int64_t i) const {
  assert(i >= 0 && i < samples);
  const std::size_t size = idx(sample_size());
  return std::span(values).subspan(idx(i) * size, size);
}

void gather_samples(const Dataset& dataset, std::span<const std::int64_t> indices, std::span<float> out) {
  assert(out.size() == indices.size() * idx(dataset.sample_size()));
  float* place = out.data();
  for (const std::int64_t i : indices) {
    const std::span<const std::uint8_t> bytes = dataset.sample(i);
    place = std::transform(bytes.begin(), bytes.end(), place,
                           [](std::uint8_t byte) { return static_cast<float>(byte) / 255.0F; });
  }
}

void gather_labels(const Dataset& dataset, std::span<const std::int64_t> indices,
                   std::span<std::int64_t> out) {
  assert(out.size() == indices.size());
  std::transform(indices.begin(), indices.end(), out.begin(),
                 [&](std::int64_t i) { return dataset.labels[idx(i)]; });
}

}  // namespace trireme::data
