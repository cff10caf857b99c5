// What the labels of a data set are, and which numbers can be labels.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace trireme::data {

struct LabelKind {
  bool is_number = false;    ///< any number, to predict in a regression; else the number of a class
  std::int64_t classes = 0;  ///< labels are 0 … classes−1; 0: as many as the largest label of the data says
};

inline constexpr std::int64_t kMostClasses = 1000;

/// What is wrong with a label, as the end of a sentence, "is 12, with 10 classes they are 0 to 9"; empty if
/// it is right.
[[nodiscard]] std::string trouble_of_label(double label, const LabelKind& kind);

/// The same kind with its number of classes: if it is 0, one more than the largest label, but at least 2.
[[nodiscard]] LabelKind settled(const LabelKind& kind, std::span<const double> labels);

/// One thing to try about a wrong label.
inline constexpr const char* kGiveClasses =
    "give the number of classes that the data set has (data.classes), or train.loss = \"mse\" to predict "
    "numbers";

}  // namespace trireme::data
