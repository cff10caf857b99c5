// Trireme for your own programs: join a job and exchange numbers with its other workers.
//
//   int main(int argc, char** argv) {
//     trireme::World world = trireme::join(argc, argv);
//     trireme::Buffer<float> gradients = world.buffer<float>(1'000'000);
//     …
//     world.average(gradients);
//   }
//
// `trireme launch -n 4 ./program` starts it as four workers. Started alone it is a job of one worker, in
// which an exchange changes nothing.
#pragma once

#include <trireme/error.h>
#include <trireme/half.h>
#include <trireme/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace trireme {
inline namespace TRIREME_ABI {

class Group;
class World;
struct WorldAccess;  // for Trireme's own parts

/// Options of a program for its job. `trireme launch --timeout` and `--wire`, or TRIREME_TIMEOUT and
/// TRIREME_WIRE, override them.
struct JoinOptions {
  /// The deadline of each call; not set: 60 s. It must be longer than the longest time for which one worker
  /// computes alone while the others wait for it.
  std::optional<std::chrono::nanoseconds> timeout{};
  /// The connection of the workers: auto, shm, tcp or mpi; not set: auto.
  std::optional<std::string> wire{};
};

/// Memory for one worker's numbers, initially zero. If workers share a host, it is memory that all of them
/// see, so that an exchange copies nothing. Its Group or World must outlive it.
template <typename T>
class Buffer {
 public:
  [[nodiscard]] std::span<T> span() const { return numbers_; }
  [[nodiscard]] T* data() const { return numbers_.data(); }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] T& operator[](std::size_t i) const { return numbers_[i]; }
  [[nodiscard]] auto begin() const { return numbers_.begin(); }
  [[nodiscard]] auto end() const { return numbers_.end(); }

 private:
  friend class Group;
  std::shared_ptr<void> memory_;
  std::span<T> numbers_;
};

/// The types of numbers that are exchanged.
enum class NumberType : std::uint8_t {
  kFloat32,
  kFloat64,
  kFloat16,
  kBFloat16,
  kInt8,
  kInt32,
  kInt64,
  kUint8,
};

/// T: float, double, float16, bfloat16, std::int8_t, std::int32_t, std::int64_t or std::uint8_t.
template <typename T>
[[nodiscard]] constexpr NumberType number_type_of();

/// The numbers of an argument, for one operation.
struct Lent {
  std::span<std::byte> bytes;
  NumberType type;
  /// May be null. Destroyed after the operation is complete, it copies the result back to where it belongs.
  std::shared_ptr<void> put_back;
};

/// What Group's operations need of an argument: its numbers in memory, in one piece. Buffer, std::vector,
/// std::span and other contiguous ranges are lent as they are; <trireme/torch.h> lends tensors.
template <typename Numbers>
struct NumbersOf {
  static_assert(std::ranges::contiguous_range<Numbers>,
                "numbers are a Buffer, std::vector, std::span or another contiguous range of them, or a "
                "torch::Tensor where <trireme/torch.h> is included");
  /// `written`: the operation writes to them.
  [[nodiscard]] static Lent lend(Numbers& numbers, bool written);
};

/// How contributions become one number.
enum class Reduction : std::uint8_t { kSum, kAverage, kProduct, kMin, kMax };

/// Some of several numbers, one after another.
struct Part {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// An operation or message that was started. Until it is complete, its numbers are neither read nor written
/// by the program, except that it may read what it only sends. It moves on whenever this worker is in a call
/// of Trireme, not by itself: a program that computes for long calls `done` now and then.
class TRIREME_API Pending {
 public:
  Pending(Pending&&) noexcept;
  Pending& operator=(Pending&&) noexcept;
  /// Waits, if nobody has. During an exception, and if the wait fails, this worker has left the job.
  ~Pending();

  /// Returns when it is complete; the deadline begins now. Throws as the call does that is not started.
  void wait();
  /// Goes on without waiting. True when it is complete. Throws as `wait` does when the program has asked
  /// again and again, at least once a second, for as long as the deadline.
  [[nodiscard]] bool done();

 private:
  friend class Group;
  void require_not_moved() const;
  struct Impl;
  explicit Pending(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// One worker's membership in a group of workers: in the whole job (`World`), or in a part of it that `split`
/// has made. Ranks, sizes and results are those of the group. Not thread-safe: all groups of a worker belong
/// to one thread.
///
/// Calls marked *together* are collective: all workers of the group make them, in the same order and with the
/// same sizes, types and strategies. Groups may overlap: their messages never get mixed up, and a group never
/// waits for workers that are not in it. If workers differ, the error says who differs in what: in shared
/// memory before any number moves, elsewhere at the latest when a message arrives that belongs to another
/// exchange. Every call throws `Error`, which says who was waited for or has gone, in which step, after how
/// long, and one thing to try; it names workers by their rank in the job. After a failed exchange the worker
/// has left its job, not only the group, and the others are told why.
///
/// The worker is the process that joined. A child that it forks is not a worker: every call throws there, and
/// the destructor does nothing, so that the child may return from main.
class TRIREME_API Group {
 public:
  Group(Group&&) noexcept;
  Group& operator=(Group&&) noexcept;
  ~Group();

  /// Whether this worker gave no color to the `split` that made this group. Then it is in no group: the size
  /// is 0, and every call that needs a group throws.
  [[nodiscard]] bool empty() const;
  [[nodiscard]] Rank rank() const;  ///< 0 … size − 1
  [[nodiscard]] Rank size() const;  ///< never changes; that of a World is the number of nodes in the job
  /// The deadline of each call: `trireme launch --timeout` or TRIREME_TIMEOUT, else JoinOptions, else 60 s.
  [[nodiscard]] std::chrono::nanoseconds timeout() const;

  /// *Together.* Workers that give the same color become a group, in the order of their keys and, where these
  /// are equal, of their ranks here. A worker that gives no color is in none. A group outlives the one that
  /// was split, if need be. Make groups once, not in every step: with MPI each takes two communicators until
  /// the job ends.
  ///
  ///   trireme::Group row = world.split(world.rank() / 2);     // of a mesh of two columns
  ///   trireme::Group column = world.split(world.rank() % 2);
  [[nodiscard]] Group split(std::optional<std::int64_t> color, std::int64_t key = 0);

  /// *Together.* T: float, double, float16, bfloat16, std::int8_t, std::int32_t, std::int64_t or
  /// std::uint8_t, as for the exchanges.
  template <typename T>
  [[nodiscard]] Buffer<T> buffer(std::size_t count);

  /// The part of `count` numbers that belongs to this worker: numbers ⌊k·count/n⌋ up to ⌊(k+1)·count/n⌋ for
  /// rank k of n.
  [[nodiscard]] Part part(std::size_t count) const;

  // Operations. `numbers`: a Buffer, std::vector, std::span, …, or a torch::Tensor where <trireme/torch.h> is
  // included. In memory that workers share, large Buffers are not copied. `strategy`: auto, or one of those
  // that `trireme explain --operation NAME --all` lists for the operation (for sums: all-to-all,
  // parameter-server with one share on each worker, ring, direct, recursive-doubling, halving-doubling, tree
  // or hierarchical on one host).
  //
  // Each can also be started: `Pending pending = group.start_sum(numbers); …; pending.wait();`. All workers
  // start it, or none does.

  /// *Together.* Replaces the numbers of every worker by the sum over all workers, the same bits on each.
  /// Either all workers pass the same part of one Buffer, or none passes a Buffer.
  ///
  /// Integers wrap in their type. float and double have the same bits with all-to-all, parameter-server, ring
  /// and direct, one of which auto takes. float16 and bfloat16 are added in float and rounded: once where one
  /// worker has the numbers of all, as with all-to-all, parameter-server and direct, else at each step.
  template <typename Numbers>
  void sum(Numbers&& numbers, std::string_view strategy = "auto");
  /// *Together.* The sum, divided by the number of workers. Not of integers, whose sum may wrap and whose
  /// quotient is seldom an integer: sum them up in a type that is wide enough and divide, or average floats.
  template <typename Numbers>
  void average(Numbers&& numbers, std::string_view strategy = "auto");
  /// *Together.* The product over all workers; in every other respect like `sum`.
  template <typename Numbers>
  void product(Numbers&& numbers, std::string_view strategy = "auto");
  /// *Together.* The least number of all workers, the same bits with every strategy. −0 is less than +0. If
  /// any worker has NaN, the result is NaN, the one of std::numeric_limits::quiet_NaN.
  template <typename Numbers>
  void min(Numbers&& numbers, std::string_view strategy = "auto");
  /// *Together.* The greatest number of all workers; zeros and NaN as with `min`.
  template <typename Numbers>
  void max(Numbers&& numbers, std::string_view strategy = "auto");

  /// *Together.* All get the numbers of `root`.
  template <typename Numbers>
  void broadcast(Numbers&& numbers, Rank root = 0, std::string_view strategy = "auto");
  /// *Together.* `root` gets the numbers of all, in the order of ranks; all bring equally many. The others'
  /// `all` is not looked at. Here and below, `mine` may lie where it belongs in `all`, else the two lie
  /// apart.
  template <typename Mine, typename All>
  void gather(const Mine& mine, All&& all, Rank root = 0, std::string_view strategy = "auto");
  /// *Together.* All get the numbers of all, in the order of ranks. `mine` has as many as `part(all's)`.
  template <typename Mine, typename All>
  void all_gather(const Mine& mine, All&& all, std::string_view strategy = "auto");
  /// *Together.* `all` of `root` is cut into equal parts, and worker k gets the k-th. The others' `all` is
  /// not looked at.
  template <typename All, typename Mine>
  void scatter(const All& all, Mine&& mine, Rank root = 0, std::string_view strategy = "auto");
  /// *Together.* Every worker brings `all`, and gets its `part` of their sum, or of another reduction: the
  /// same bits as of `sum` and the others. `all` does not change.
  template <typename All, typename Mine>
  void reduce_scatter(const All& all, Mine&& mine, Reduction reduction = Reduction::kSum,
                      std::string_view strategy = "auto");
  /// *Together.* Worker k gets the k-th part of what each worker brings, in the order of ranks: so `into` has
  /// room for n times `part(from's)`.
  template <typename From, typename Into>
  void all_to_all(const From& from, Into&& into, std::string_view strategy = "auto");

  /// *Together.* Returns when all workers have called it.
  void barrier();

  /// Sends numbers to one other worker of the group, which receives as many of the same type. Messages from
  /// one worker to another with the same tag arrive in the order in which they were sent; those with
  /// different tags, of different groups, and other calls never get mixed up, and may be received in any
  /// order. Returns when `numbers` may be written again: perhaps at once, perhaps only when the other worker
  /// receives, so two workers must not both send first. `tag`: 0 to 16,383.
  ///
  /// A rank or tag that there is not is refused, and does no harm. After any other failure the worker has
  /// left its job.
  template <typename Numbers>
  void send(const Numbers& numbers, Rank to, int tag = 0);
  /// Receives what `from` sends with this tag over `numbers`, all of them.
  template <typename Numbers>
  void receive(Numbers&& numbers, Rank from, int tag = 0);

  // The same, started. A message begins at once, an operation when those of its group that were started
  // before it are complete.
  template <typename Numbers>
  [[nodiscard]] Pending start_sum(Numbers&& numbers, std::string_view strategy = "auto");
  template <typename Numbers>
  [[nodiscard]] Pending start_average(Numbers&& numbers, std::string_view strategy = "auto");
  template <typename Numbers>
  [[nodiscard]] Pending start_product(Numbers&& numbers, std::string_view strategy = "auto");
  template <typename Numbers>
  [[nodiscard]] Pending start_min(Numbers&& numbers, std::string_view strategy = "auto");
  template <typename Numbers>
  [[nodiscard]] Pending start_max(Numbers&& numbers, std::string_view strategy = "auto");
  template <typename Numbers>
  [[nodiscard]] Pending start_broadcast(Numbers&& numbers, Rank root = 0, std::string_view strategy = "auto");
  template <typename Mine, typename All>
  [[nodiscard]] Pending start_gather(Mine&& mine, All&& all, Rank root = 0,
                                     std::string_view strategy = "auto");
  template <typename Mine, typename All>
  [[nodiscard]] Pending start_all_gather(Mine&& mine, All&& all, std::string_view strategy = "auto");
  template <typename All, typename Mine>
  [[nodiscard]] Pending start_scatter(All&& all, Mine&& mine, Rank root = 0,
                                      std::string_view strategy = "auto");
  template <typename All, typename Mine>
  [[nodiscard]] Pending start_reduce_scatter(All&& all, Mine&& mine, Reduction reduction = Reduction::kSum,
                                             std::string_view strategy = "auto");
  template <typename From, typename Into>
  [[nodiscard]] Pending start_all_to_all(From&& from, Into&& into, std::string_view strategy = "auto");
  template <typename Numbers>
  [[nodiscard]] Pending start_send(Numbers&& numbers, Rank to, int tag = 0);
  template <typename Numbers>
  [[nodiscard]] Pending start_receive(Numbers&& numbers, Rank from, int tag = 0);

 private:
  friend class World;
  friend World join(int argc, char** argv, const JoinOptions& options);
  friend struct WorldAccess;
  struct Impl;
  explicit Group(std::shared_ptr<Impl> impl);

  enum class Operation : std::uint8_t {
    kReduce,
    kBroadcast,
    kGather,
    kAllGather,
    kScatter,
    kReduceScatter,
    kAllToAll,
    kSend,
    kReceive,
  };
  /// What is called, with the numbers that this worker brings and those that it gets: the same if it gets
  /// them in place of its own.
  struct Call {
    Operation operation;
    Lent from;
    Lent into;
    std::string_view strategy = "auto";
    Reduction reduction = Reduction::kSum;
    Rank root = 0;  ///< or the other worker
    int tag = 0;
  };
  template <typename Numbers>
  [[nodiscard]] Call reduce(Numbers& numbers, Reduction reduction, std::string_view strategy) const;
  template <typename Numbers>
  [[nodiscard]] Call broadcast_call(Numbers& numbers, Rank root, std::string_view strategy) const;
  template <typename From, typename Into>
  [[nodiscard]] Call call(Operation operation, From& from, Into& into, std::string_view strategy,
                          Reduction reduction = Reduction::kSum) const;
  template <typename Mine, typename All>
  [[nodiscard]] Call gather_call(Mine& mine, All& all, Rank root, std::string_view strategy) const;
  template <typename All, typename Mine>
  [[nodiscard]] Call scatter_call(All& all, Mine& mine, Rank root, std::string_view strategy) const;
  template <Operation kOperation, typename Numbers>
  [[nodiscard]] Call message(Numbers& numbers, Rank peer, int tag) const;
  [[nodiscard]] bool is(Rank rank) const;
  [[nodiscard]] static bool is_message(const Call& call);
  [[nodiscard]] static std::string_view in_words(const Call& call);
  void run(const Call& call);
  [[nodiscard]] Pending start(Call call);
  [[nodiscard]] std::shared_ptr<void> memory(std::size_t bytes, void** data);

  std::shared_ptr<Impl> impl_;
};

/// The group of all workers of the job.
class TRIREME_API World : public Group {
 private:
  friend World join(int argc, char** argv, const JoinOptions& options);
  friend struct WorldAccess;
  using Group::Group;
};

/// Reads this worker's rank and the size of its job from the environment, and joins the job. Throws `Error`
/// if the environment contradicts itself, or if not all workers join before the deadline. A process joins
/// once: a second call throws and does no harm. The arguments are not changed.
///
///   trireme::World world = trireme::join(argc, argv, {.timeout = std::chrono::minutes(2), .wire = "tcp"});
[[nodiscard]] TRIREME_API World join(int argc, char** argv, const JoinOptions& options = {});

template <typename T>
constexpr NumberType number_type_of() {
  if constexpr (std::is_same_v<T, float>) {
    return NumberType::kFloat32;
  } else if constexpr (std::is_same_v<T, double>) {
    return NumberType::kFloat64;
  } else if constexpr (std::is_same_v<T, float16>) {
    return NumberType::kFloat16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return NumberType::kBFloat16;
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return NumberType::kInt8;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return NumberType::kInt32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return NumberType::kInt64;
  } else {
    static_assert(std::is_same_v<T, std::uint8_t>,
                  "only float, double, trireme::float16, trireme::bfloat16, std::int8_t, std::int32_t, "
                  "std::int64_t and std::uint8_t can be exchanged");
    return NumberType::kUint8;
  }
}

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
Lent NumbersOf<Numbers>::lend(Numbers& numbers, bool written) {
  using T = std::remove_reference_t<std::ranges::range_reference_t<Numbers>>;
  const auto bytes = std::as_bytes(std::span<T>(numbers));
  static_cast<void>(written);
  return {{const_cast<std::byte*>(bytes.data()), bytes.size()},
          number_type_of<std::remove_const_t<T>>(),
          nullptr};
}

/// Whether an operation can write its result there: tensors say so when they are lent.
template <typename Numbers>
constexpr void require_writable_numbers() {
  if constexpr (std::ranges::range<Numbers>) {
    static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Numbers>>>,
                  "the result is written over the numbers: they must not be const");
  }
}

/// Numbers that go at the end of the statement cannot wait for an operation that was started.
template <typename Numbers>
constexpr void require_lasting() {
  if constexpr (std::ranges::range<Numbers>) {
    static_assert(std::is_lvalue_reference_v<Numbers> || std::ranges::borrowed_range<Numbers>,
                  "these numbers are gone before the operation is complete: give them a name");
  }
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
constexpr void require_no_integers() {
  if constexpr (std::ranges::range<Numbers>) {
    static_assert(!std::is_integral_v<std::ranges::range_value_t<Numbers>>,
                  "integers have sums but no averages");
  }
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
