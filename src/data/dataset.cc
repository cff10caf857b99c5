#include "data/dataset.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "base/types.h"

namespace trireme::data {
namespace {

template <typename Label>
void gather(const Dataset& dataset, std::span<const std::int64_t> indices, std::span<Label> out) {
  assert(out.size() == indices.size());
  std::transform(indices.begin(), indices.end(), out.begin(),
                 [&](std::int64_t i) { return static_cast<Label>(dataset.labels[idx(i)]); });
}

}  // namespace

std::int64_t Dataset::sample_size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t Dataset::first_value(std::int64_t i) const {
  assert(i >= 0 && i < samples);
  return (rows.empty() ? i : rows[idx(i)]) * sample_size();
}

std::span<const std::uint8_t> Dataset::sample(std::int64_t i) const {
  const std::size_t bytes = size_of(values.type());
  return values.bytes().subspan(idx(first_value(i)) * bytes, idx(sample_size()) * bytes);
}

void gather_samples(const Dataset& dataset, std::span<const std::int64_t> indices, std::span<float> out) {
  const std::size_t size = idx(dataset.sample_size());
  assert(out.size() == indices.size() * size);
  if (dataset.values.file() != nullptr) {
    dataset.values.file()->require_whole();
    for (const std::int64_t i : indices) MappedFile::expect(dataset.sample(i));
  }
  for (const std::int64_t i : indices) {
    normalize(dataset.values, dataset.first_value(i), dataset.normalization, out.first(size));
    out = out.subspan(size);
  }
}

void gather_labels(const Dataset& dataset, std::span<const std::int64_t> indices,
                   std::span<std::int64_t> out) {
  gather(dataset, indices, out);
}

void gather_labels(const Dataset& dataset, std::span<const std::int64_t> indices, std::span<float> out) {
  gather(dataset, indices, out);
}

}  // namespace trireme::data
