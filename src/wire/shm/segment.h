// The memory of one job on one host: what its nodes say to each other, and their windows.
//
// It is an anonymous file (memfd): it has no name that could be left over, and its memory goes when the last
// process that holds it ends, however it ends. Nor does the size of /dev/shm, 64 MB in many containers, limit
// it. A launcher makes it and lets the nodes inherit it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "base/types.h"
#include "wire/call_signature.h"

namespace trireme::wire::shm {

[[nodiscard]] constexpr std::size_t round_up(std::size_t number, std::size_t unit) {
  return (number + unit - 1) / unit * unit;
}

/// The place of a buffer: the same in every node's part of one window.
struct Place {
  std::byte* first_node = nullptr;  ///< the place in node 0's part
  std::size_t stride = 0;           ///< from one node's part to the next's
  std::uint64_t offset = 0;         ///< of node 0's place in the job's file: the same on all nodes

  [[nodiscard]] std::byte* at(Rank node) const { return first_node + idx(node) * stride; }
};

/// How many calls a node may be ahead of another: see `Entrance`.
inline constexpr std::uint64_t kMostAhead = 2;
/// A node that comes to a call knows that all have come to the one `kMostAhead` before it. So they have done
/// with all before that one, and know the same of the `kMostAhead` before it.
inline constexpr std::uint64_t kNotes = 2 * kMostAhead;

/// How far a node has come, written by that node alone and polled by the others: notes for the last calls.
struct TickLine {
  /// On a pair of lines of its own: processors fetch lines in pairs.
  struct alignas(128) Note {
    std::atomic<std::uint64_t> tick{0};     ///< release and acquire: who sees it sees the rest and the data
    std::uint64_t digest = 0;               ///< of what the node runs, and has run before
    std::uint64_t place = 0;                ///< of its buffer in the job's file; 0: it lies in no window
    std::uint64_t moved = 0;                ///< what it has read from and written to others' windows
    std::array<std::byte, 96> few_bytes{};  ///< a small buffer travels here, with the tick
  };

  Note notes[kNotes];
};

/// The last collective calls of a node, in words; read only when digests differ.
struct alignas(128) SignatureLine {
  CallSignature signatures[kNotes];
};

/// What the nodes of one group share to do things together: ticks, signatures and stages. A view of memory
/// that somebody else keeps, zero at first.
class GroupMemory {
 public:
  /// Each node's stage: where it puts what it holds in memory of its own. Two halves, used in turn.
  static constexpr std::size_t kStageBytes = std::size_t{512} << 10;

  /// `memory` is aligned to a page.
  GroupMemory(std::byte* memory, Rank nodes) : memory_(memory), nodes_(nodes) {}
  [[nodiscard]] static std::size_t bytes_for(Rank nodes);

  [[nodiscard]] TickLine& tick_line(Rank node) const;
  [[nodiscard]] SignatureLine& signature_line(Rank node) const;
  [[nodiscard]] std::byte* stage(Rank node) const;
  /// How many nodes need it no more. Acquire and release: the last one may give the memory back.
  [[nodiscard]] std::atomic<Rank>& departures() const;

 private:
  std::byte* memory_;
  Rank nodes_;
};

/// A node sleeps on it, and others wake it.
struct alignas(128) Bell {
  std::atomic<std::uint32_t> rings{0};   // a futex; changes with every ring
  std::atomic<std::uint32_t> asleep{0};  // with Fences between it and what was changed
  std::atomic<std::int32_t> core{0};     // core + 1 where it last waited; relaxed: only a remark
};

/// One range of the job's file in this process's memory.
class Mapping {
 public:
  /// Throws `Error`.
  Mapping(int fd, std::size_t offset, std::size_t bytes);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

/// Nodes that are threads of one process share one Segment; nodes that are processes have one each.
class Segment {
 public:
  static constexpr Rank kMostNodes = 1024;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  /// Makes the memory of a new job. Throws `Error`.
  [[nodiscard]] static std::shared_ptr<Segment> create(Rank nodes);
  /// Takes part in a job whose file this process has inherited; owns the descriptor from then on. Throws
  /// `Error` when it is no such file.
  [[nodiscard]] static std::shared_ptr<Segment> open(int fd);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] Rank nodes() const { return nodes_; }
  /// The first failure that a node has told.
  [[nodiscard]] std::optional<Failure> first_failure() const;
  /// Tells a launcher why a node fails that is not in the roster: one that exchanges by TCP, or not yet.
  void fail(const Failure& failure);
  /// For a launcher: tells the nodes that one of them has ended, which may not even have come so far as to
  /// join.
  void mark_dead(Rank node, pid_t process);
  [[nodiscard]] bool has_ended(Rank node) const;

  // The parts of the control area.
  [[nodiscard]] std::byte* roster() const;
  [[nodiscard]] Bell& bell(Rank node) const;
  /// The memory of all nodes of the job together.
  [[nodiscard]] GroupMemory job_memory() const;
  [[nodiscard]] std::byte* channel(Rank from, Rank to) const;
  [[nodiscard]] std::size_t ring_bytes() const;  ///< of each channel

  /// The offset in the file behind the control area, at which windows and the memory of groups begin.
  [[nodiscard]] std::size_t windows_offset() const;
  /// A range of the file that nobody has had yet, beginning at a multiple of `unit`. Takes no memory.
  [[nodiscard]] std::size_t allocate(std::size_t bytes, std::size_t unit) const;
  /// Lets the file reach to the end of this range, of zeros that take no memory yet. Throws `Error`.
  void extend(std::size_t offset, std::size_t bytes) const;
  /// Takes memory for this range of the file, in whole pages. Throws `Error` when there is none.
  void reserve(std::size_t offset, std::size_t bytes) const;
  /// Gives the memory of this range back.
  void release(std::size_t offset, std::size_t bytes) const noexcept;
  /// The range in this process's memory; the same place for all threads.
  [[nodiscard]] std::shared_ptr<Mapping> map(std::size_t offset, std::size_t bytes);

 private:
  Segment(int fd, Rank nodes);

  const int fd_;
  const Rank nodes_;
  Mapping control_;
  std::mutex mutex_;
  std::map<std::size_t, std::weak_ptr<Mapping>> mappings_;  // by offset; guarded by mutex_
};

/// How much memory can still be shared on this host, or in this container if that is less, without bringing
/// it down.
[[nodiscard]] std::size_t memory_left();

/// Throws `Error` with the size needed and the remedy when windows of `stride` bytes each are more than is
/// left.
void require_memory(std::size_t nodes, std::size_t stride, std::size_t left);

}  // namespace trireme::wire::shm
