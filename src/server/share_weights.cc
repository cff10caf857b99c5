#include "server/share_weights.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/types.h"
#include "wire/wire.h"

namespace trireme::server {
namespace {

std::vector<rounds::WeightPiece> pieces_of(const Share& share, const std::vector<ShareWeights::Part>& parts) {
  assert(parts.size() == share.parts.size());
  std::vector<rounds::WeightPiece> pieces;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SharePart& part = share.parts[i];
    pieces.push_back(
        {part.place, parts[i].weights, part.is_whole ? parts[i].shape : optim::vector_of(part.count)});
  }
  return pieces;
}

}  // namespace

ShareWeights::ShareWeights(const Share& share, std::vector<Part> parts)
    : share_(share),
      parts_(std::move(parts)),
      update_(pieces_of(share_, parts_), {0, share_.elements}),
      steps_{.rules = std::vector<RuleSpec>(parts_.size()),
             .has_gradient = std::vector<bool>(parts_.size()),
             .measures = std::vector<optim::Measure>(parts_.size())} {}

void ShareWeights::apply(std::span<float> share, const std::vector<bool>& has_gradient, double rate,
                         const RuleOf& rule) {
  for (std::size_t i = 0; i < parts_.size(); ++i) steps_.rules[i] = rule(share_.parts[i].variable, rate);
  steps_.has_gradient = has_gradient;
  update_.apply(share, 1.0F, steps_, rounds::WeightUpdate::Leave::kWeights);
}

void ShareWeights::copy_to(std::span<float> share, const std::vector<bool>& has_already) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!has_already.empty() && has_already[i]) continue;
    const std::span<float> weights = parts_[i].weights;
    wire::copy_bytes(reinterpret_cast<std::byte*>(share.data() + share_.parts[i].place),
                     reinterpret_cast<const std::byte*>(weights.data()), weights.size_bytes());
  }
}

}  // namespace trireme::server
