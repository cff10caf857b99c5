#include "plan/holdings.h"

namespace trireme::plan {
namespace {

void add(std::vector<Slice>& slices, const Slice& slice) {
  if (!slice.empty()) slices.push_back(slice);
}

// Chunk k of every row.
std::vector<Slice> column(const PlanSpec& spec, Rank k) {
  const Slice chunk_of_row = chunk(k, spec.parameters, spec.workers);
  std::vector<Slice> slices;
  for (Rank row = 0; row < spec.workers; ++row) {
    add(slices, {row * spec.parameters + chunk_of_row.first, chunk_of_row.count});
  }
  return slices;
}

}  // namespace

Holdings holdings(const PlanSpec& spec, Rank node) {
  Holdings held;
  if (spec.is_server(node)) return held;
  const bool is_root = node == spec.root;
  const Slice all{0, spec.parameters};
  const Slice own = chunk(node, spec.parameters, spec.workers);
  switch (spec.operation) {
    case Operation::kSum:
      add(held.before, all);
      add(held.after, all);
      break;
    case Operation::kBroadcast:
      if (is_root) add(held.before, all);
      add(held.after, all);
      break;
    case Operation::kGather:
      add(held.before, own);
      if (is_root) add(held.after, all);
      break;
    case Operation::kAllGather:
      add(held.before, own);
      add(held.after, all);
      break;
    case Operation::kScatter:
      if (is_root) add(held.before, all);
      add(held.after, own);
      break;
    case Operation::kReduceScatter:
      add(held.before, all);
      add(held.after, own);
      break;
    case Operation::kAllToAll:
      add(held.before, {node * spec.parameters, spec.parameters});
      held.after = column(spec, node);
      break;
  }
  return held;
}

std::int64_t total(const std::vector<Slice>& slices) {
  std::int64_t elements = 0;
  for (const Slice& slice : slices) elements += slice.count;
  return elements;
}

}  // namespace trireme::plan
