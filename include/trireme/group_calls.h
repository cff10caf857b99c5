// How the calls of a Group take numbers of any type and memory. <trireme/trireme.h> includes it and says what
// each call does.
#pragma once

#include <trireme/trireme.h>

#include <cstddef>
#include <string_view>

namespace trireme {
inline namespace TRIREME_ABI {

template <typename T>
Buffer<T> Group::buffer(std::size_t count) {
  static_cast<void>(number_type_of<T>());
  Buffer<T> buffer;
  void* data = nullptr;
  // A size that would overflow is refused in words, not wrapped around.
  constexpr std::size_t kMost = static_cast<std::size_t>(-1) / sizeof(T);
  buffer.memory_ = memory((count < kMost ? count : kMost) * sizeof(T), &data);
  buffer.numbers_ = {static_cast<T*>(data), count};
  return buffer;
}

template <typename Numbers>
Group::Call Group::reduce(Numbers& numbers, Reduction reduction, std::string_view strategy) const {
  require_writable_numbers<Numbers>();
  const Lent lent = NumbersOf<Numbers>::lend(numbers, /*written=*/true);
  return {.operation = Operation::kReduce,
          .from = lent,
          .into = lent,
          .strategy = strategy,
          .reduction = reduction};
}

template <typename Numbers>
Group::Call Group::broadcast_call(Numbers& numbers, Rank root, std::string_view strategy) const {
  require_writable_numbers<Numbers>();
  const Lent lent = NumbersOf<Numbers>::lend(numbers, /*written=*/!is(root));
  return {.operation = Operation::kBroadcast, .from = lent, .into = lent, .strategy = strategy, .root = root};
}

template <typename From, typename Into>
Group::Call Group::call(Operation operation, From& from, Into& into, std::string_view strategy,
                        Reduction reduction) const {
  require_writable_numbers<Into>();
  return {.operation = operation,
          .from = NumbersOf<From>::lend(from, /*written=*/false),
          .into = NumbersOf<Into>::lend(into, /*written=*/true),
          .strategy = strategy,
          .reduction = reduction};
}

template <typename Mine, typename All>
Group::Call Group::gather_call(Mine& mine, All& all, Rank root, std::string_view strategy) const {
  require_writable_numbers<All>();
  const Lent from = NumbersOf<Mine>::lend(mine, /*written=*/false);
  const Lent into = is(root) ? NumbersOf<All>::lend(all, /*written=*/true) : Lent{{}, from.type, nullptr};
  return {.operation = Operation::kGather, .from = from, .into = into, .strategy = strategy, .root = root};
}

template <typename All, typename Mine>
Group::Call Group::scatter_call(All& all, Mine& mine, Rank root, std::string_view strategy) const {
  require_writable_numbers<Mine>();
  const Lent into = NumbersOf<Mine>::lend(mine, /*written=*/true);
  const Lent from = is(root) ? NumbersOf<All>::lend(all, /*written=*/false) : Lent{{}, into.type, nullptr};
  return {.operation = Operation::kScatter, .from = from, .into = into, .strategy = strategy, .root = root};
}

template <Group::Operation kOperation, typename Numbers>
Group::Call Group::message(Numbers& numbers, Rank peer, int tag) const {
  constexpr bool kWritten = kOperation == Operation::kReceive;
  if constexpr (kWritten) require_writable_numbers<Numbers>();
  const Lent lent = NumbersOf<Numbers>::lend(numbers, kWritten);
  return {.operation = kOperation, .from = lent, .into = lent, .root = peer, .tag = tag};
}

template <typename Numbers>
void Group::sum(Numbers&& numbers, std::string_view strategy) {
  run(reduce(numbers, Reduction::kSum, strategy));
}
template <typename Numbers>
Pending Group::start_sum(Numbers&& numbers, std::string_view strategy) {
  require_lasting<Numbers>();
  return start(reduce(numbers, Reduction::kSum, strategy));
}

template <typename Numbers>
void Group::average(Numbers&& numbers, std::string_view strategy) {
  require_no_integers<Numbers>();
  run(reduce(numbers, Reduction::kAverage, strategy));
}
template <typename Numbers>
Pending Group::start_average(Numbers&& numbers, std::string_view strategy) {
  require_lasting<Numbers>();
  require_no_integers<Numbers>();
  return start(reduce(numbers, Reduction::kAverage, strategy));
}

template <typename Numbers>
void Group::product(Numbers&& numbers, std::string_view strategy) {
  run(reduce(numbers, Reduction::kProduct, strategy));
}
template <typename Numbers>
Pending Group::start_product(Numbers&& numbers, std::string_view strategy) {
  require_lasting<Numbers>();
  return start(reduce(numbers, Reduction::kProduct, strategy));
}

template <typename Numbers>
void Group::min(Numbers&& numbers, std::string_view strategy) {
  run(reduce(numbers, Reduction::kMin, strategy));
}
template <typename Numbers>
Pending Group::start_min(Numbers&& numbers, std::string_view strategy) {
  require_lasting<Numbers>();
  return start(reduce(numbers, Reduction::kMin, strategy));
}

template <typename Numbers>
void Group::max(Numbers&& numbers, std::string_view strategy) {
  run(reduce(numbers, Reduction::kMax, strategy));
}
template <typename Numbers>
Pending Group::start_max(Numbers&& numbers, std::string_view strategy) {
  require_lasting<Numbers>();
  return start(reduce(numbers, Reduction::kMax, strategy));
}

template <typename Numbers>
void Group::broadcast(Numbers&& numbers, Rank root, std::string_view strategy) {
  run(broadcast_call(numbers, root, strategy));
}
template <typename Numbers>
Pending Group::start_broadcast(Numbers&& numbers, Rank root, std::string_view strategy) {
  require_lasting<Numbers>();
  return start(broadcast_call(numbers, root, strategy));
}

template <typename Mine, typename All>
void Group::gather(const Mine& mine, All&& all, Rank root, std::string_view strategy) {
  run(gather_call(mine, all, root, strategy));
}
template <typename Mine, typename All>
Pending Group::start_gather(Mine&& mine, All&& all, Rank root, std::string_view strategy) {
  require_lasting<Mine>();
  require_lasting<All>();
  return start(gather_call(mine, all, root, strategy));
}

template <typename Mine, typename All>
void Group::all_gather(const Mine& mine, All&& all, std::string_view strategy) {
  run(call(Operation::kAllGather, mine, all, strategy));
}
template <typename Mine, typename All>
Pending Group::start_all_gather(Mine&& mine, All&& all, std::string_view strategy) {
  require_lasting<Mine>();
  require_lasting<All>();
  return start(call(Operation::kAllGather, mine, all, strategy));
}

template <typename All, typename Mine>
void Group::scatter(const All& all, Mine&& mine, Rank root, std::string_view strategy) {
  run(scatter_call(all, mine, root, strategy));
}
template <typename All, typename Mine>
Pending Group::start_scatter(All&& all, Mine&& mine, Rank root, std::string_view strategy) {
  require_lasting<Mine>();
  require_lasting<All>();
  return start(scatter_call(all, mine, root, strategy));
}

template <typename All, typename Mine>
void Group::reduce_scatter(const All& all, Mine&& mine, Reduction reduction, std::string_view strategy) {
  run(call(Operation::kReduceScatter, all, mine, strategy, reduction));
}
template <typename All, typename Mine>
Pending Group::start_reduce_scatter(All&& all, Mine&& mine, Reduction reduction, std::string_view strategy) {
  require_lasting<Mine>();
  require_lasting<All>();
  return start(call(Operation::kReduceScatter, all, mine, strategy, reduction));
}

template <typename From, typename Into>
void Group::all_to_all(const From& from, Into&& into, std::string_view strategy) {
  run(call(Operation::kAllToAll, from, into, strategy));
}
template <typename From, typename Into>
Pending Group::start_all_to_all(From&& from, Into&& into, std::string_view strategy) {
  require_lasting<From>();
  require_lasting<Into>();
  return start(call(Operation::kAllToAll, from, into, strategy));
}

template <typename Numbers>
void Group::send(const Numbers& numbers, Rank to, int tag) {
  run(message<Operation::kSend>(numbers, to, tag));
}
template <typename Numbers>
Pending Group::start_send(Numbers&& numbers, Rank to, int tag) {
  require_lasting<Numbers>();
  return start(message<Operation::kSend>(numbers, to, tag));
}

template <typename Numbers>
void Group::receive(Numbers&& numbers, Rank from, int tag) {
  run(message<Operation::kReceive>(numbers, from, tag));
}
template <typename Numbers>
Pending Group::start_receive(Numbers&& numbers, Rank from, int tag) {
  require_lasting<Numbers>();
  return start(message<Operation::kReceive>(numbers, from, tag));
}

}  // namespace TRIREME_ABI
}  // namespace trireme
