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
#include <trireme/numbers.h>
#include <trireme/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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
/// memory before it takes any number, elsewhere at the latest when a message arrives that belongs to another
/// exchange. A worker that needs nothing from another, like the root of a broadcast, may return before that
/// one has come; if it never does, a later call says so. Every call throws `Error`, which says who was waited
/// for or has gone, in which step, after how long, and one thing to try; it names workers by their rank in
/// the job. After a failed exchange the worker has left its job, not only the group, and the others are told
/// why.
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
  [[nodiscard]] Pending start(const Call& call);
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

}  // namespace TRIREME_ABI
}  // namespace trireme

#include <trireme/group_calls.h>  // IWYU pragma: export
