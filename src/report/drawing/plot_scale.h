// One axis of a drawing: the position of a value, and which values are marked.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trireme::report {

class PlotScale {
 public:
  struct Range {
    double from = 0;  ///< on the drawing, where the smallest value is
    double to = 0;
  };

  /// A logarithmic scale for these values, which are all above 0. `margin` is the fraction of the range that
  /// stays free at each end.
  PlotScale(const std::vector<double>& values, Range range, double margin = 0);

  [[nodiscard]] double at(double value) const;

  /// The values themselves, if they are few and far enough apart; otherwise 1, 10, 100, …; for a range of
  /// less than two powers of ten 1, 2, 5, 10, …; and if these would be fewer than three, equal steps.
  [[nodiscard]] std::vector<double> marks() const;

 private:
  [[nodiscard]] bool are_apart(const std::vector<double>& marks) const;
  [[nodiscard]] std::vector<double> powers(const std::vector<double>& digits) const;
  [[nodiscard]] std::vector<double> equal_steps() const;

  std::vector<double> values_;  // ascending, each once
  Range range_;
  double least_;  // powers of ten
  double most_;
};

/// About six round numbers in equal steps from `least` to `most`, which is larger.
[[nodiscard]] std::vector<double> round_marks(double least, double most);

/// "1,000,000" rather than "1e+06".
[[nodiscard]] std::string mark_words(double mark);

/// Positions as near as possible to the wanted ones, in the same order, `apart` from each other and between
/// `first` and `last` (unless there are too many). The wanted ones are ascending.
[[nodiscard]] std::vector<double> spread_out(const std::vector<double>& wanted, double apart, double first,
                                             double last);

}  // namespace trireme::report
