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
  [[nodiscard]] Rank size() const;  ///< workers; ranks that an Exchange has made servers do not count
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

  /// *Together.* Replaces the numbers of every worker by the sum over all workers, the same bits on each.
  /// `numbers`: a Buffer, std::vector, std::span, …; either all workers pass the same part of one Buffer, or
  /// none passes a Buffer. `strategy`: auto, all-to-all, parameter-server (one share on each worker), ring,
  /// direct, recursive-doubling, halving-doubling, tree or hierarchical (one host).
  ///
  /// Integers wrap in their type. float and double have the same bits with all-to-all, parameter-server, ring
  /// and direct, one of which auto takes. float16 and bfloat16 are added in float and rounded: once where one
  /// worker has the numbers of all, as with all-to-all, parameter-server and direct, else at each step.
  template <std::ranges::contiguous_range Numbers>
  void sum(Numbers&& numbers, std::string_view strategy = "auto");
  /// *Together.* The sum, divided by the number of workers. Not of integers, whose sum may wrap and whose
  /// quotient is seldom an integer: sum them up in a type that is wide enough and divide, or average floats.
  template <std::ranges::contiguous_range Numbers>
  void average(Numbers&& numbers, std::string_view strategy = "auto");
  /// *Together.* The product over all workers; in every other respect like `sum`.
  template <std::ranges::contiguous_range Numbers>
  void product(Numbers&& numbers, std::string_view strategy = "auto");
  /// *Together.* The least number of all workers, the same bits with every strategy. −0 is less than +0. If
  /// any worker has NaN, the result is NaN, the one of std::numeric_limits::quiet_NaN.
  template <std::ranges::contiguous_range Numbers>
  void min(Numbers&& numbers, std::string_view strategy = "auto");
  /// *Together.* The greatest number of all workers; zeros and NaN as with `min`.
  template <std::ranges::contiguous_range Numbers>
  void max(Numbers&& numbers, std::string_view strategy = "auto");

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
  template <std::ranges::contiguous_range Numbers>
  void send(Numbers&& numbers, Rank to, int tag = 0);
  /// Receives what `from` sends with this tag over `numbers`, all of them.
  template <std::ranges::contiguous_range Numbers>
  void receive(Numbers&& numbers, Rank from, int tag = 0);

 private:
  friend class World;
  friend World join(int argc, char** argv, const JoinOptions& options);
  friend struct WorldAccess;
  struct Impl;
  explicit Group(std::unique_ptr<Impl> impl);

  enum class Type : std::uint8_t { kFloat32, kFloat64, kFloat16, kBFloat16, kInt8, kInt32, kInt64, kUint8 };
  enum class Reduction : std::uint8_t { kSum, kAverage, kProduct, kMin, kMax };
  template <typename T>
  [[nodiscard]] static constexpr Type type_of();
  template <typename Numbers>
  void reduce(Numbers& numbers, Reduction reduction, std::string_view strategy);
  void exchange(std::span<std::byte> bytes, Type type, Reduction reduction, std::string_view strategy);
  [[nodiscard]] std::shared_ptr<void> memory(std::size_t bytes, void** data);
  void send_bytes(std::span<const std::byte> bytes, Type type, Rank to, int tag);
  void receive_bytes(std::span<std::byte> bytes, Type type, Rank from, int tag);

  std::unique_ptr<Impl> impl_;
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
constexpr Group::Type Group::type_of() {
  if constexpr (std::is_same_v<T, float>) {
    return Type::kFloat32;
  } else if constexpr (std::is_same_v<T, double>) {
    return Type::kFloat64;
  } else if constexpr (std::is_same_v<T, float16>) {
    return Type::kFloat16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return Type::kBFloat16;
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return Type::kInt8;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return Type::kInt32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return Type::kInt64;
  } else {
    static_assert(std::is_same_v<T, std::uint8_t>,
                  "only float, double, trireme::float16, trireme::bfloat16, std::int8_t, std::int32_t, "
                  "std::int64_t and std::uint8_t can be exchanged");
    return Type::kUint8;
  }
}

template <typename T>
Buffer<T> Group::buffer(std::size_t count) {
  static_cast<void>(type_of<T>());
  Buffer<T> buffer;
  void* data = nullptr;
  // A size that would overflow is refused in words, not wrapped around.
  constexpr std::size_t kMost = static_cast<std::size_t>(-1) / sizeof(T);
  buffer.memory_ = memory((count < kMost ? count : kMost) * sizeof(T), &data);
  buffer.numbers_ = {static_cast<T*>(data), count};
  return buffer;
}

template <typename Numbers>
void Group::reduce(Numbers& numbers, Reduction reduction, std::string_view strategy) {
  using T = std::remove_reference_t<std::ranges::range_reference_t<Numbers>>;
  static_assert(!std::is_const_v<T>, "the result is written over the numbers: they must not be const");
  exchange(std::as_writable_bytes(std::span<T>(numbers)), type_of<T>(), reduction, strategy);
}

template <std::ranges::contiguous_range Numbers>
void Group::sum(Numbers&& numbers, std::string_view strategy) {
  reduce(numbers, Reduction::kSum, strategy);
}

template <std::ranges::contiguous_range Numbers>
void Group::average(Numbers&& numbers, std::string_view strategy) {
  static_assert(!std::is_integral_v<std::ranges::range_value_t<Numbers>>,
                "integers have sums but no averages");
  reduce(numbers, Reduction::kAverage, strategy);
}

template <std::ranges::contiguous_range Numbers>
void Group::product(Numbers&& numbers, std::string_view strategy) {
  reduce(numbers, Reduction::kProduct, strategy);
}

template <std::ranges::contiguous_range Numbers>
void Group::min(Numbers&& numbers, std::string_view strategy) {
  reduce(numbers, Reduction::kMin, strategy);
}

template <std::ranges::contiguous_range Numbers>
void Group::max(Numbers&& numbers, std::string_view strategy) {
  reduce(numbers, Reduction::kMax, strategy);
}

template <std::ranges::contiguous_range Numbers>
void Group::send(Numbers&& numbers, Rank to, int tag) {
  using T = std::ranges::range_value_t<Numbers>;
  send_bytes(std::as_bytes(std::span<const T>(numbers)), type_of<T>(), to, tag);
}

template <std::ranges::contiguous_range Numbers>
void Group::receive(Numbers&& numbers, Rank from, int tag) {
  using T = std::remove_reference_t<std::ranges::range_reference_t<Numbers>>;
  static_assert(!std::is_const_v<T>, "what is received is written over the numbers: they must not be const");
  receive_bytes(std::as_writable_bytes(std::span<T>(numbers)), type_of<T>(), from, tag);
}

}  // namespace TRIREME_ABI
}  // namespace trireme
