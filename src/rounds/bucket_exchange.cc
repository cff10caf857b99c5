#include "rounds/bucket_exchange.h"

#include <utility>

#include "plan/share.h"

namespace trireme::rounds {

BucketExchange::BucketExchange(wire::Wire& wire, std::chrono::nanoseconds timeout)
    : wire_(wire), timeout_(timeout), driver_(make_round_driver(Drive::kAfter, timeout)) {}

void BucketExchange::add(const std::vector<BucketPlan>& buckets) {
  const auto prepared = [&](const BucketPlan& bucket, exec::Half half) {
    auto runner =
        std::make_unique<exec::Runner>(bucket.spec, bucket.type, wire_, exec::Result::kAverage, half);
    runner->prepare(Deadline::after(timeout_));
    return runner;
  };
  for (const BucketPlan& bucket : buckets) {
    buckets_.push_back(bucket);
    runners_.push_back(prepared(bucket, has_holders() ? exec::Half::kToHolders : exec::Half::kBoth));
    if (has_holders()) handing_out_.push_back(prepared(bucket, exec::Half::kFromHolders));
    items_.push_back({runners_.back().get(), bucket.bytes});
  }
}

void BucketExchange::drive(Drive drive) { driver_ = make_round_driver(drive, timeout_); }

void BucketExchange::begin(std::function<std::int64_t()> agree) {
  driver_->begin(items_, [this, agree = std::move(agree)] {
    const std::int64_t divisor = agree();
    for (const auto& runner : runners_) runner->divide_by(divisor);
  });
}

void BucketExchange::hand_out() {
  for (std::size_t i = 0; i < handing_out_.size(); ++i) {
    handing_out_[i]->run(buckets_[i].bytes, Deadline::after(timeout_));
  }
}

plan::Slice BucketExchange::own_slice(std::size_t i) const {
  const plan::PlanSpec& spec = buckets_[i].spec;
  if (!has_holders()) return {0, spec.parameters};
  const std::int32_t held = plan::share_held_by(spec, wire_.rank());
  return held < 0 ? plan::Slice{} : plan::share(spec, held);
}

bool BucketExchange::has_holders() const {
  return !buckets_.empty() && buckets_.front().spec.strategy == plan::Strategy::kParameterServer;
}

wire::Counters BucketExchange::counted() const {
  wire::Counters all;
  for (const auto* runners : {&runners_, &handing_out_}) {
    for (const auto& runner : *runners) all += runner->counted();
  }
  return all;
}

wire::Counters BucketExchange::per_round() const {
  wire::Counters all;
  for (const auto* runners : {&runners_, &handing_out_}) {
    for (const auto& runner : *runners) all += runner->tally();
  }
  return all;
}

}  // namespace trireme::rounds
