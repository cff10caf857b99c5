// One axis of a drawing: where a value lies, and which values are marked.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trireme::report {

class PlotScale {
 public:
  struct Range {
    double from = 0;  ///< on the drawing, where the least value lies
    double to = 0;
  };

  /// Logarithmic, of the values that are to be seen, all above 0. `margin`: a part of the range that stays
  /// free at either end.
  PlotScale(const std::vector<double>& values, Range range, double margin = 0);

  [[nodiscard]] double at(double value) const;

  /// The values themselves, where they are few and lie far enough apart; else 1, 10, 100, …; of a range of
  /// less than two powers of ten 1, 2, 5, 10, …; and of a range in which these are fewer than three, equal
  /// steps.
  [[nodiscard]] std::vector<double> marks() const;

 private:
  [[nodiscard]] bool are_apart(const std::vector<double>& marks) const;
  [[nodiscard]] std::vector<double> powers(const std::vector<double>& digits) const;
  [[nodiscard]] std::vector<double> equal_steps() const;

  std::vector<double> values_;  // in rising order, each once
  Range range_;
  double least_;  // powers of ten
  double most_;
};

/// "1,000,000" rather than "1e+06".
[[nodiscard]] std::string mark_words(double mark);

/// Positions as near to the wanted ones as may be, in the same order, `apart` from each other and between
/// `first` and `last` (unless they are too many). The wanted ones are in rising order.
[[nodiscard]] std::vector<double> spread_out(const std::vector<double>& wanted, double apart, double first,
                                             double last);

}  // namespace trireme::report
