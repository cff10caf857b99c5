#include "rounds/update/share_norm.h"

#include <algorithm>

#include "base/types.h"
#include "optim/norm.h"
#include "plan/share.h"

namespace trireme::rounds {
namespace {

using optim::kNormBlock;

std::span<const float> floats_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

plan::Slice common(const plan::Slice& a, const plan::Slice& b) {
  const std::int64_t first = std::max(a.first, b.first);
  return {first, std::max<std::int64_t>(std::min(a.end(), b.end()) - first, 0)};
}

// The numbers of one bucket: the sum of each block, and then the elements of each block that is cut.
class NormNumbers {
 public:
  explicit NormNumbers(const plan::PlanSpec& spec) : parameters_(spec.parameters) {
    for (std::int32_t j = 1; j < plan::share_count(spec); ++j) {
      const std::int64_t border = plan::share(spec, j).first;
      const bool cuts = border % kNormBlock != 0 && border < parameters_;
      if (cuts && (cut_.empty() || cut_.back() != border / kNormBlock)) cut_.push_back(border / kNormBlock);
    }
  }

  [[nodiscard]] std::int64_t count() const {
    std::int64_t elements = 0;
    for (const std::int64_t block : cut_) elements += elements_of(block).count;
    return blocks() + elements;
  }

  // What the holder of the share knows.
  void tell(const plan::Slice& share, std::span<const float> bucket, std::span<double> numbers) const {
    for (std::int64_t block = 0; block < blocks(); ++block) {
      const plan::Slice known = common(elements_of(block), share);
      if (known.empty() || std::ranges::binary_search(cut_, block)) continue;
      optim::sum_squares(bucket.subspan(idx(known.first), idx(known.count)), numbers.subspan(idx(block), 1));
    }
    std::int64_t at = blocks();
    for (const std::int64_t block : cut_) {
      const plan::Slice elements = elements_of(block);
      const plan::Slice known = common(elements, share);
      for (std::int64_t i = known.first; i < known.end(); ++i) {
        numbers[idx(at + i - elements.first)] = static_cast<double>(bucket[idx(i)]);
      }
      at += elements.count;
    }
  }

  // Completes the sums of blocks, from what all have told.
  void complete(std::span<double> numbers) const {
    std::int64_t at = blocks();
    for (const std::int64_t block : cut_) {
      const auto told = numbers.subspan(idx(at), idx(elements_of(block).count));
      const std::vector<float> elements(told.begin(), told.end());
      optim::sum_squares(elements, numbers.subspan(idx(block), 1));
      at += std::ssize(told);
    }
  }

  [[nodiscard]] std::int64_t blocks() const { return optim::norm_blocks(parameters_); }

 private:
  [[nodiscard]] plan::Slice elements_of(std::int64_t block) const {
    const std::int64_t first = block * kNormBlock;
    return {first, std::min(kNormBlock, parameters_ - first)};
  }

  std::int64_t parameters_;
  std::vector<std::int64_t> cut_;  // blocks that are in several shares
};

}  // namespace

std::int64_t norm_numbers(const plan::PlanSpec& bucket) { return NormNumbers(bucket).count(); }

std::vector<double> block_sums_of_shares(ShareSum& sum, Rank rank, std::span<const BucketPlan> buckets) {
  std::vector<double> numbers;
  for (const BucketPlan& bucket : buckets) {
    const NormNumbers layout(bucket.spec);
    const std::size_t at = numbers.size();
    numbers.resize(at + idx(layout.count()));
    const std::int32_t held = plan::share_held_by(bucket.spec, rank);
    if (held >= 0)
      layout.tell(plan::share(bucket.spec, held), floats_of(bucket.bytes), std::span(numbers).subspan(at));
  }
  sum.run(numbers);
  std::vector<double> sums;
  std::span<double> rest = numbers;
  for (const BucketPlan& bucket : buckets) {
    const NormNumbers layout(bucket.spec);
    layout.complete(rest);
    sums.insert(sums.end(), rest.begin(), rest.begin() + layout.blocks());
    rest = rest.subspan(idx(layout.count()));
  }
  return sums;
}

float clip_factor_of(ShareSum& sum, Rank rank, const BucketRunners& runners, double most) {
  std::vector<double> sums;
  if (runners.has_holders()) {
    sums = block_sums_of_shares(sum, rank, runners.buckets());
  } else {
    for (const BucketPlan& bucket : runners.buckets()) {
      const std::size_t at = sums.size();
      sums.resize(at + idx(optim::norm_blocks(bucket.spec.parameters)));
      optim::sum_squares(floats_of(bucket.bytes), std::span(sums).subspan(at));
    }
  }
  return optim::clip_factor(optim::norm_of(sums), most);
}

}  // namespace trireme::rounds
