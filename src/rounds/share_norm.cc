#include "rounds/share_norm.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/types.h"
#include "optim/norm.h"
#include "plan/share.h"
#include "wire/notes.h"

namespace trireme::rounds {
namespace {

std::span<const float> floats(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

// A share, cut at the borders of blocks.
struct CutShare {
  CutShare(const plan::Slice& share, std::int64_t parameters) {
    const std::int64_t begin = std::min(optim::norm_blocks(share.first) * optim::kNormBlock, share.end());
    const std::int64_t end = share.end() == parameters
                                 ? parameters
                                 : std::max(begin, share.end() / optim::kNormBlock * optim::kNormBlock);
    head = {share.first, begin - share.first};
    blocks = {begin, end - begin};
    tail = {end, share.end() - end};
  }

  [[nodiscard]] std::size_t note_bytes() const {
    return idx(optim::norm_blocks(blocks.count)) * sizeof(double) +
           idx(head.count + tail.count) * sizeof(float);
  }

  plan::Slice head;    // of a block that began before
  plan::Slice blocks;  // whole ones
  plan::Slice tail;    // of a block that goes on afterwards
};

std::vector<std::byte> note_of(const CutShare& share, std::span<const float> bucket, std::size_t bytes) {
  const auto numbers = [&](const plan::Slice& slice) {
    return bucket.subspan(idx(slice.first), idx(slice.count));
  };
  std::vector<double> sums(idx(optim::norm_blocks(share.blocks.count)));
  optim::sum_squares(numbers(share.blocks), sums);
  std::vector<std::byte> note(bytes);
  std::byte* at = note.data();
  const auto put = [&](const auto& span) {
    const std::span<const std::byte> from = std::as_bytes(std::span(span));
    at = std::copy(from.begin(), from.end(), at);
  };
  put(sums);
  put(numbers(share.head));
  put(numbers(share.tail));
  return note;
}

// Puts together what the holders have told.
class BlockSums {
 public:
  explicit BlockSums(std::int64_t parameters)
      : parameters_(parameters), sums_(idx(optim::norm_blocks(parameters))) {}

  void add(const CutShare& share, std::span<const std::byte> note) {
    const std::size_t sum_bytes = idx(optim::norm_blocks(share.blocks.count)) * sizeof(double);
    std::memcpy(sums_.data() + share.blocks.first / optim::kNormBlock, note.data(), sum_bytes);
    note = note.subspan(sum_bytes);
    add_elements(share.head, note);
    add_elements(share.tail, note.subspan(idx(share.head.count) * sizeof(float)));
  }

  [[nodiscard]] std::vector<double> finish() {
    for (const auto& [block, elements] : cut_) optim::sum_squares(elements, std::span(&sums_[idx(block)], 1));
    return std::move(sums_);
  }

 private:
  void add_elements(const plan::Slice& slice, std::span<const std::byte> bytes) {
    if (slice.empty()) return;
    const std::int64_t block = slice.first / optim::kNormBlock;
    std::vector<float>& elements = cut_[block];
    elements.resize(idx(std::min(optim::kNormBlock, parameters_ - block * optim::kNormBlock)));
    std::memcpy(elements.data() + (slice.first - block * optim::kNormBlock), bytes.data(),
                idx(slice.count) * sizeof(float));
  }

  std::int64_t parameters_;
  std::vector<double> sums_;
  std::map<std::int64_t, std::vector<float>> cut_;  // blocks that are in several shares, whole
};

}  // namespace

std::vector<double> block_sums_of_shares(wire::Wire& wire, const plan::PlanSpec& spec,
                                         std::span<const float> bucket, const Deadline& deadline) {
  std::vector<CutShare> shares;
  std::size_t longest = 0;
  for (std::int32_t j = 0; j < plan::share_count(spec); ++j) {
    shares.emplace_back(plan::share(spec, j), spec.parameters);
    longest = std::max(longest, shares.back().note_bytes());
  }
  const std::int32_t own = plan::share_held_by(spec, wire.rank());
  const std::vector<std::byte> note =
      own < 0 ? std::vector<std::byte>(longest) : note_of(shares[idx(own)], bucket, longest);
  const std::vector<std::byte> notes = wire::share_notes(wire, note, "adding up a norm", deadline);
  BlockSums sums(spec.parameters);
  for (std::int32_t j = 0; j < plan::share_count(spec); ++j) {
    sums.add(shares[idx(j)], std::span(notes).subspan(idx(plan::share_holder(spec, j)) * longest, longest));
  }
  return sums.finish();
}

float clip_factor_of(wire::Wire& wire, const BucketRunners& runners, double most, const Deadline& deadline) {
  std::vector<double> sums;
  for (const BucketPlan& bucket : runners.buckets()) {
    std::vector<double> more(idx(optim::norm_blocks(bucket.spec.parameters)));
    if (runners.has_holders()) {
      more = block_sums_of_shares(wire, bucket.spec, floats(bucket.bytes), deadline);
    } else {
      optim::sum_squares(floats(bucket.bytes), more);
    }
    sums.insert(sums.end(), more.begin(), more.end());
  }
  return optim::clip_factor(optim::norm_of(sums), most);
}

}  // namespace trireme::rounds
