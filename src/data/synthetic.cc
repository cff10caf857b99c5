#include "data/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "base/random_stream.h"
#include "base/text.h"
#include "base/types.h"
#include "data/labels.h"

namespace trireme::data {
namespace {

constexpr std::array<std::string_view, 3> kNames{"blobs", "linear", "stripes"};
constexpr std::int64_t kMostValues = std::int64_t{1} << 32;
constexpr std::int64_t kMostSampleValues = std::int64_t{1} << 22;

/// Fills sample i from its own stream and returns its label.
using SampleMaker =
    std::function<std::int64_t(std::int64_t i, RandomStream& stream, std::span<std::uint8_t>)>;

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
}

std::uint8_t random_byte(RandomStream& stream) { return static_cast<std::uint8_t>(stream.next_32() >> 24); }

// Returns 0 if no sample may have this shape.
std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t size = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 1 || size > kMostSampleValues / dimension) return 0;
    size *= dimension;
  }
  return size;
}

// With f values, centres are 52·√f bytes apart on average, much farther than the noise.
SampleMaker blobs(const SyntheticSpec& spec) {
  constexpr double kNoise = 24;
  const std::int64_t size = product(spec.shape);
  RandomStream stream(spec.seed, "synthetic-blobs");
  std::vector<double> centres(idx(spec.classes * size));
  for (double& value : centres) value = 64 + 128 * stream.uniform();
  return [centres, classes = spec.classes](std::int64_t i, RandomStream& noise, std::span<std::uint8_t> out) {
    const std::int64_t label = i % classes;
    const double* centre = &centres[idx(label) * out.size()];
    for (std::uint8_t& value : out) value = to_byte(*centre++ + kNoise * noise.normal());
    return label;
  };
}

SampleMaker linear(const SyntheticSpec& spec) {
  const std::int64_t size = product(spec.shape);
  RandomStream stream(spec.seed, "synthetic-linear");
  std::vector<double> weights(idx(spec.classes * size));
  for (double& weight : weights) weight = stream.normal();
  return [weights, classes = spec.classes](std::int64_t, RandomStream& values, std::span<std::uint8_t> out) {
    for (std::uint8_t& value : out) value = random_byte(values);
    const double* weight = weights.data();
    std::vector<double> outputs(idx(classes));
    for (double& output : outputs) {
      for (const std::uint8_t value : out) output += *weight++ * (value - 127.5);
    }
    return std::max_element(outputs.begin(), outputs.end()) - outputs.begin();
  };
}

// The bright pixels of an image: those with (across·x + down·y) modulo period below half the period.
struct Stripes {
  std::int64_t across, down, period;
};

// Each width has four directions.
Stripes stripes_of(std::int64_t label) {
  constexpr std::array<std::array<std::int64_t, 2>, 4> kDirections{{{0, 1}, {1, 0}, {1, 1}, {1, -1}}};
  const auto& [across, down] = kDirections[idx(label % 4)];
  return {across, down, 4 + 4 * (label / 4)};
}

SampleMaker stripes(const SyntheticSpec& spec) {
  constexpr double kDark = 64;
  constexpr double kBright = 192;
  constexpr double kNoise = 48;
  const std::int64_t height = spec.shape[1];
  const std::int64_t width = spec.shape[2];
  return [=, classes = spec.classes](std::int64_t i, RandomStream& stream, std::span<std::uint8_t> out) {
    const std::int64_t label = i % classes;
    const auto [across, down, period] = stripes_of(label);
    const auto shift = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(period)));
    for (std::int64_t place = 0; place < std::ssize(out); ++place) {
      const std::int64_t x = place % width;
      const std::int64_t y = place / width % height;
      const std::int64_t phase = (across * x + down * y + shift + height * period) % period;  // not negative
      out[idx(place)] = to_byte((2 * phase < period ? kBright : kDark) + kNoise * stream.normal());
    }
    return label;
  };
}

Dataset make(const SyntheticSpec& spec, std::string_view part, std::int64_t samples,
             const SampleMaker& maker) {
  Dataset dataset{
      .samples = samples, .shape = spec.shape, .classes = spec.classes, .values = {}, .labels = {}};
  const std::size_t size = idx(dataset.sample_size());
  std::vector<std::uint8_t> values(idx(samples) * size);
  for (std::int64_t i = 0; i < samples; ++i) {
    RandomStream stream(spec.seed, part, 0, i);
    dataset.labels.push_back(
        static_cast<double>(maker(i, stream, std::span(values).subspan(idx(i) * size, size))));
  }
  dataset.values = Numbers(NumberType::kUint8, std::endian::native, std::move(values));
  return dataset;
}

void check_range(std::string_view what, std::int64_t number, std::int64_t most) {
  if (number >= 1 && number <= most) return;
  throw bad_input(fmt::format("a synthetic data set cannot have {} {}", with_commas(number), what),
                  fmt::format("give a number from 1 to {}", with_commas(most)));
}

void check_stripes(const SyntheticSpec& spec) {
  if (spec.shape.size() != 3) {
    throw bad_input(fmt::format("stripes need images of 3 dimensions, not of {}", spec.shape.size()),
                    "give channels, height and width, such as 1, 28, 28");
  }
  const std::int64_t side = std::min(spec.shape[1], spec.shape[2]);
  const std::int64_t period = stripes_of(spec.classes - 1).period;
  if (period <= side) return;
  throw bad_input(fmt::format("stripes of {} classes repeat after up to {} pixels, the images have {} × {}",
                              spec.classes, period, spec.shape[1], spec.shape[2]),
                  side < 4 ? "give images of 4 × 4 pixels or more"
                           : fmt::format("give at most {} classes", side / 4 * 4));
}

void check(const SyntheticSpec& spec) {
  check_range("classes", spec.classes, kMostClasses);
  const std::int64_t size = product(spec.shape);
  if (spec.shape.empty() || size == 0) {
    throw bad_input(
        "the shape of a synthetic sample has no dimension, one below 1, or too many values in all",
        fmt::format("give dimensions with a product from 1 to {}", with_commas(kMostSampleValues)));
  }
  const std::int64_t most = kMostValues / size;
  check_range("samples to train on", spec.train, most);
  check_range("samples to test with", spec.test, most);
  if (spec.kind == SyntheticKind::kStripes) check_stripes(spec);
}

}  // namespace

std::string_view to_string(SyntheticKind kind) { return kNames[idx(static_cast<int>(kind))]; }

SyntheticKind synthetic_kind(std::string_view name) {
  const auto at = std::find(kNames.begin(), kNames.end(), name);
  if (at != kNames.end()) return static_cast<SyntheticKind>(at - kNames.begin());
  const std::string_view meant = nearest(name, kNames);
  throw bad_input(fmt::format("'{}' is no kind of synthetic data set", printable(name)),
                  meant.empty() ? fmt::format("give one of {}", fmt::join(kNames, ", "))
                                : fmt::format("did you mean {}?", meant));
}

std::vector<std::int64_t> usual_shape(SyntheticKind kind) {
  if (kind == SyntheticKind::kStripes) return {1, 28, 28};
  return {20};
}

Split make_synthetic(const SyntheticSpec& spec) {
  check(spec);
  const SampleMaker maker = spec.kind == SyntheticKind::kBlobs    ? blobs(spec)
                            : spec.kind == SyntheticKind::kLinear ? linear(spec)
                                                                  : stripes(spec);
  return {make(spec, "synthetic-train", spec.train, maker), make(spec, "synthetic-test", spec.test, maker)};
}

}  // namespace trireme::data
