#include "data/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace trireme::data {

std::string trouble_of_label(double label, const LabelKind& kind) {
  if (!std::isfinite(label)) return fmt::format("is {}, and not a finite number", label);
  if (kind.is_number) return "";
  if (label != std::floor(label)) return fmt::format("is {}, and the number of a class is whole", label);
  const std::int64_t classes = kind.classes > 0 ? kind.classes : kMostClasses;
  if (label >= 0 && label < static_cast<double>(classes)) return "";
  if (kind.classes == 0) return fmt::format("is {}, numbers of classes are 0 to {}", label, classes - 1);
  const std::string words = classes == 1 ? "1 class" : with_commas(classes) + " classes";
  return fmt::format("is {}, with {} they are 0 to {}", label, words, classes - 1);
}

LabelKind settled(const LabelKind& kind, std::span<const double> labels) {
  if (kind.is_number) return {.is_number = true};
  if (kind.classes > 0) return kind;
  const auto largest = std::ranges::max_element(labels);
  const auto classes = largest == labels.end() ? 0 : static_cast<std::int64_t>(*largest) + 1;
  return {.classes = std::max<std::int64_t>(2, classes)};
}

}  // namespace trireme::data
