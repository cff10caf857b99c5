#include "rounds/bucket_runners.h"

#include "plan/share.h"

namespace trireme::rounds {

BucketRunners::BucketRunners(wire::Wire& wire, std::chrono::nanoseconds timeout)
    : wire_(wire), timeout_(timeout) {}

void BucketRunners::add(const std::vector<BucketPlan>& buckets) {
  const auto prepared = [&](const BucketPlan& bucket, const plan::StepWindow& steps) {
    auto runner =
        std::make_unique<exec::Runner>(bucket.spec, bucket.type, wire_, exec::Reduction::kAverage, steps);
    runner->prepare(Deadline::after(timeout_));
    return runner;
  };
  for (const BucketPlan& bucket : buckets) {
    buckets_.push_back(bucket);
    runners_.push_back(prepared(bucket, has_holders() ? exec::kToHolders : plan::StepWindow{}));
    if (has_holders()) handing_out_.push_back(prepared(bucket, exec::kFromHolders));
    items_.push_back({runners_.back().get(), bucket.bytes});
  }
}

std::span<const RoundDriver::Item> BucketRunners::divide_by(std::int64_t divisor) {
  for (const auto& runner : runners_) runner->divide_by(divisor);
  return items_;
}

void BucketRunners::hand_out() {
  for (std::size_t i = 0; i < handing_out_.size(); ++i) {
    handing_out_[i]->run(buckets_[i].bytes, Deadline::after(timeout_));
  }
}

plan::Slice BucketRunners::own_slice(std::size_t i) const {
  const plan::PlanSpec& spec = buckets_[i].spec;
  if (!has_holders()) return {0, spec.parameters};
  const std::int32_t held = plan::share_held_by(spec, wire_.rank());
  return held < 0 ? plan::Slice{} : plan::share(spec, held);
}

bool BucketRunners::has_holders() const {
  return !buckets_.empty() && buckets_.front().spec.strategy == plan::Strategy::kParameterServer;
}

wire::Counters BucketRunners::counted() const {
  wire::Counters all;
  for (const auto* runners : {&runners_, &handing_out_}) {
    for (const auto& runner : *runners) all += runner->counted();
  }
  return all;
}

wire::Counters BucketRunners::per_round() const {
  wire::Counters all;
  for (const auto* runners : {&runners_, &handing_out_}) {
    for (const auto& runner : *runners) all += runner->tally();
  }
  return all;
}

}  // namespace trireme::rounds
