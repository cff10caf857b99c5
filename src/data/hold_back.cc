#include "data/hold_back.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random_stream.h"
#include "base/text.h"
#include "base/types.h"

namespace trireme::data {
namespace {

void require_finite(std::span<const double> sample, std::int64_t row, const std::string& path) {
  // NaN and infinities make a sum of zeros something else.
  double zeros = 0;
  for (const double number : sample) zeros += number * 0;
  if (zeros == 0) return;
  const auto at = std::ranges::find_if(sample, [](double number) { return !std::isfinite(number); });
  throw bad_input(
      fmt::format("{}: feature {} of sample {} is {}, and not a finite number (both counted from 0)", path,
                  with_commas(at - sample.begin()), with_commas(row), *at),
      "take such samples out, or replace the number");
}

// Goes through the rows from the first to the last. `is_training` is asked for each.
template <typename IsTraining>
void look_at_rows(const Numbers& values, std::int64_t features, const std::string& path,
                  NormalizationFit& fit, const IsTraining& is_training) {
  const MappedFile* const file = values.file();
  if (file != nullptr) file->advise(MappedFile::Use::kFromFrontToBack);
  std::vector<double> sample(idx(features));
  const std::int64_t rows = values.size() / features;
  for (std::int64_t row = 0; row < rows; ++row) {
    constexpr std::int64_t kOften = 4096;
    if (file != nullptr && row % kOften == 0) file->require_whole();
    values.read(row * features, sample);
    if (is_real(values.type())) require_finite(sample, row, path);
    if (is_training(row)) fit.add(sample);
  }
}

}  // namespace

void hold_back_test(Split& split, double share, std::uint64_t seed) {
  Dataset& train = split.train;
  if (train.samples < 2) {
    throw bad_input("of 1 sample none can be held back for the test",
                    "give more samples, or a file for the test");
  }
  RandomStream stream(seed, "test-share");
  std::vector<std::int64_t> order = permutation(train.samples, stream);
  const auto wanted = static_cast<std::int64_t>(std::llround(share * static_cast<double>(train.samples)));
  const std::int64_t count = std::clamp<std::int64_t>(wanted, 1, train.samples - 1);
  const auto border = order.begin() + count;
  std::sort(order.begin(), border);
  std::sort(border, order.end());
  const Dataset whole = std::move(train);
  const auto part = [&](auto first, auto last) {
    Dataset dataset = whole;
    dataset.rows.assign(first, last);
    dataset.samples = std::ssize(dataset.rows);
    dataset.labels.clear();
    for (const std::int64_t row : dataset.rows) dataset.labels.push_back(whole.labels[idx(row)]);
    return dataset;
  };
  split.test = part(order.begin(), border);
  split.train = part(border, order.end());
}

void settle_normalization(Split& split, NormalizeKind kind, const std::optional<Normalization>& kept,
                          const std::string& train_path, const std::string& test_path) {
  const Numbers& values = split.train.values;
  const std::int64_t features = split.train.sample_size();
  NormalizationFit fit(kept ? NormalizeKind::kNone : kind, values.type(), features);
  if (fit.needs_samples() || is_real(values.type())) {
    const std::vector<std::int64_t>& rows = split.train.rows;
    auto next = rows.begin();  // rows ascend
    look_at_rows(values, features, train_path, fit, [&](std::int64_t row) {
      if (rows.empty()) return true;
      if (next == rows.end() || *next != row) return false;
      ++next;
      return true;
    });
  }
  if (split.train.rows.empty() && is_real(split.test.values.type())) {
    look_at_rows(split.test.values, features, test_path, fit, [](std::int64_t) { return false; });
  }
  if (values.file() != nullptr) values.file()->advise(MappedFile::Use::kAnywhere);
  split.train.normalization = split.test.normalization = kept ? *kept : fit.result();
}

}  // namespace trireme::data
