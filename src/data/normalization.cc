#include "data/normalization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"

namespace trireme::data {
namespace {

constexpr const char* kTakeAnother = "take a checkpoint of a training with these data";

const std::vector<double>& part_of(const NamedNumbers& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  if (found != numbers.end()) return found->second;
  throw bad_input(fmt::format("the numbers of the normalization lack \"{}\"", name), kTakeAnother);
}

// `swapped` is a type, so that the loops below are compiled for each order of bytes.
template <typename Number, typename Swapped>
void convert(const std::uint8_t* from, const Normalization& by, std::span<float> out, Swapped) {
  const auto number = [from](std::size_t i) {
    return static_cast<double>(load_number<Number>(from + i * sizeof(Number), Swapped::value));
  };
  const std::size_t features = by.offset.size();
  if (features == 0) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(number(i));
  } else if (features == 1) {
    const double offset = by.offset[0];
    const double scale = by.scale[0];
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>((number(i) - offset) / scale);
  } else {
    for (std::size_t first = 0; first < out.size(); first += features) {
      for (std::size_t i = 0; i < features; ++i)
        out[first + i] = static_cast<float>((number(first + i) - by.offset[i]) / by.scale[i]);
    }
  }
}

}  // namespace

NamedNumbers named_numbers(const Normalization& normalization) {
  return {{"offset", normalization.offset}, {"scale", normalization.scale}};
}

Normalization normalization_of(const NamedNumbers& numbers, std::int64_t features) {
  Normalization normalization{.offset = part_of(numbers, "offset"), .scale = part_of(numbers, "scale")};
  const std::vector<double>& scale = normalization.scale;
  const std::int64_t size = std::ssize(scale);
  if (std::ssize(normalization.offset) != size || (size > 1 && size != features)) {
    throw bad_input(fmt::format("the normalization has {} and {}, and a sample has {}",
                                counted(std::ssize(normalization.offset), "offset"), counted(size, "scale"),
                                counted(features, "feature")),
                    kTakeAnother);
  }
  const auto is_finite = [](double number) { return std::isfinite(number); };
  if (!std::ranges::all_of(normalization.offset, is_finite) || !std::ranges::all_of(scale, is_finite) ||
      !std::ranges::all_of(scale, [](double number) { return number > 0; })) {
    throw bad_input("the normalization has a number that is not finite, or a scale that is not above 0",
                    kTakeAnother);
  }
  return normalization;
}

NormalizationFit::NormalizationFit(NormalizeKind kind, NumberType type, std::int64_t features)
    : kind_(kind), type_(type) {
  if (kind == NormalizeKind::kUnit) {
    least_ = std::numeric_limits<double>::infinity();
    greatest_ = -least_;
  } else if (kind == NormalizeKind::kStandard) {
    mean_.resize(idx(features));
    squares_.resize(idx(features));
  }
}

bool NormalizationFit::needs_samples() const {
  return kind_ == NormalizeKind::kStandard || (kind_ == NormalizeKind::kUnit && type_ != NumberType::kUint8);
}

void NormalizationFit::add(std::span<const double> sample) {
  ++samples_;
  if (kind_ == NormalizeKind::kUnit) {
    for (const double number : sample) {
      least_ = std::min(least_, number);
      greatest_ = std::max(greatest_, number);
    }
    return;
  }
  const auto count = static_cast<double>(samples_);
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    const double distance = sample[i] - mean_[i];
    mean_[i] += distance / count;
    squares_[i] += distance * (sample[i] - mean_[i]);
  }
}

Normalization NormalizationFit::result() const {
  if (kind_ == NormalizeKind::kNone) return {};
  if (!needs_samples()) return {.offset = {0}, .scale = {255}};
  if (kind_ == NormalizeKind::kUnit)
    return {.offset = {least_}, .scale = {greatest_ > least_ ? greatest_ - least_ : 1}};
  Normalization normalization{.offset = mean_, .scale = squares_};
  for (double& scale : normalization.scale) {
    scale = std::sqrt(scale / static_cast<double>(samples_));
    if (!(scale > 0) || !std::isfinite(scale)) scale = 1;
  }
  return normalization;
}

void normalize(const Numbers& numbers, std::int64_t first, const Normalization& normalization,
               std::span<float> out) {
  const std::size_t size = size_of(numbers.type());
  const std::span<const std::uint8_t> bytes = numbers.bytes().subspan(idx(first) * size, out.size() * size);
  with_type(numbers.type(), [&](auto number) {
    using Number = decltype(number);
    if (numbers.order() == std::endian::native) {
      convert<Number>(bytes.data(), normalization, out, std::false_type());
    } else {
      convert<Number>(bytes.data(), normalization, out, std::true_type());
    }
  });
}

}  // namespace trireme::data
