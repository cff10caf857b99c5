#include "report/drawing/plot_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace trireme::report {
namespace {

constexpr std::size_t kMostMarks = 12;
constexpr double kApart = 22;    // on the drawing, so that labels do not touch
constexpr double kSlack = 1e-9;  // in powers of ten, for rounding errors

// The smallest of 1, 2 or 5 times a power of ten that is at least this.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= step * (1 - kSlack)) return digit * power;
  }
  return 10 * power;
}

}  // namespace

PlotScale::PlotScale(const std::vector<double>& values, Range range, double margin)
    : values_(values), range_(range) {
  std::sort(values_.begin(), values_.end());
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  least_ = values_.empty() ? 0 : std::log10(values_.front());
  most_ = values_.empty() ? 0 : std::log10(values_.back());
  double free = margin * (most_ - least_);
  if (most_ - least_ < kSlack) free = std::log10(1.5);  // a single value is in the middle
  least_ -= free;
  most_ += free;
}

double PlotScale::at(double value) const {
  return range_.from + (std::log10(value) - least_) / (most_ - least_) * (range_.to - range_.from);
}

bool PlotScale::are_apart(const std::vector<double>& marks) const {
  for (std::size_t i = 1; i < marks.size(); ++i) {
    if (std::abs(at(marks[i]) - at(marks[i - 1])) < kApart) return false;
  }
  return marks.size() <= kMostMarks;
}

std::vector<double> PlotScale::powers(const std::vector<double>& digits) const {
  std::vector<double> all;
  for (double power = std::floor(least_); power <= most_; ++power) {
    for (const double digit : digits) {
      const double mark = digit * std::pow(10, power);
      if (std::log10(mark) >= least_ - kSlack && std::log10(mark) <= most_ + kSlack) all.push_back(mark);
    }
  }
  return all;
}

std::vector<double> PlotScale::equal_steps() const {
  return round_marks(std::pow(10, least_), std::pow(10, most_));
}

std::vector<double> PlotScale::marks() const {
  constexpr std::size_t kFew = 3;
  if (are_apart(values_)) return values_;
  std::vector<double> tens = powers({1});
  if (tens.size() >= kFew) {
    const std::size_t stride = (tens.size() + kMostMarks - 1) / kMostMarks;
    std::vector<double> some;
    for (std::size_t i = 0; i < tens.size(); i += stride) some.push_back(tens[i]);
    return some;
  }
  const std::vector<double> close = powers({1, 2, 5});
  return close.size() >= kFew ? close : equal_steps();
}

std::vector<double> round_marks(double least, double most) {
  constexpr double kAbout = 6;
  const double step = round_step((most - least) / kAbout);
  std::vector<double> all;
  for (double number = std::ceil(least / step - kSlack); number <= most / step + kSlack; ++number) {
    all.push_back(number * step + 0.0);  // 0 rather than −0
  }
  return all;
}

std::string mark_words(double mark) {
  return mark < 1000 || mark > 1e15 ? fmt::format("{:.6g}", mark) : with_commas(std::llround(mark));
}

std::vector<double> spread_out(const std::vector<double>& wanted, double apart, double first, double last) {
  // Positions that would touch form one block, centred on the mean of the wanted positions.
  struct Block {
    double wanted;  // position of its first member, on average
    std::size_t count;
  };
  const auto begin = [&](const Block& block) {
    const double end = last - static_cast<double>(block.count - 1) * apart;
    return std::max(std::min(block.wanted, end), first);
  };
  std::vector<Block> blocks;
  for (const double one : wanted) {
    blocks.push_back({one, 1});
    while (blocks.size() > 1) {
      const Block& before = blocks[blocks.size() - 2];
      const double length = static_cast<double>(before.count) * apart;
      if (begin(before) + length <= begin(blocks.back())) break;
      const Block& behind = blocks.back();
      const double count = static_cast<double>(before.count + behind.count);
      const double mean = (before.wanted * static_cast<double>(before.count) +
                           (behind.wanted - length) * static_cast<double>(behind.count)) /
                          count;
      const Block both{mean, before.count + behind.count};
      blocks.pop_back();
      blocks.back() = both;
    }
  }
  std::vector<double> positions;
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.count; ++i) {
      positions.push_back(begin(block) + static_cast<double>(i) * apart);
    }
  }
  return positions;
}

}  // namespace trireme::report
