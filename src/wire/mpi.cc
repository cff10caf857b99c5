// The one file that sees MPI.
//
// A message goes in segments, which both ends cut alike, so that a receiver can add one while the next are
// under way, and so that no message is too large for MPI's int. Between two nodes everything goes in the
// order in which it was posted, which MPI keeps for us.
#include "wire/mpi.h"

// The C API alone: the C++ one of old is a library of its own.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <utility>

#include "wire/mpi_launcher.h"
#include "wire/patience.h"
#include "wire/roster.h"
#include "wire/term_signal.h"
#include "wire/transfer.h"

namespace trireme {
namespace {

using namespace std::chrono_literals;
using Clock = Deadline::Clock;

constexpr std::size_t kSegmentBytes = 512 << 10;  // a multiple of 64, as Combine wants it
// How many segments of one lane are under way at once. The receiver of an addition needs a place for each,
// but few do: it goes at its own pace as long as the sender never waits for a word from it.
constexpr std::size_t kMostFlying = 64;
constexpr std::size_t kMostAdding = 2;
static_assert(kMostFlying % kMostAdding == 0, "neighbours in the ring of segments have different places");

// How long all processes together may take to tell each other something.
constexpr auto kGatherLimit = 60s;

// A segment's tag says whether it is the last of its message, and most of the op's id. MPI promises 15 bits.
int tag_of(OpId id, bool last) { return static_cast<int>((id & 0x3fff) << 1) | (last ? 1 : 0); }
bool same_op(int tag, int expected) { return tag >> 1 == expected >> 1; }

// Rather than received in its place, or sent.
bool is_added(const Transfer& transfer) {
  return transfer.combine != nullptr && transfer.combine != copy_bytes;
}

Error mpi_failed(Rank rank, int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  Failure failure;
  failure.cause = Failure::Cause::kPeerLost;
  failure.rank = rank;
  failure.what = fmt::format("MPI says: {}", text.data());
  failure.hint = "look at the output of mpirun";
  return Error(std::move(failure));
}

Error other_op(Rank rank, const Transfer& receive) {
  Failure failure = wrong_length(rank, receive, 0).failure();
  failure.what = fmt::format("rank {} sends another op where op {} is expected", receive.peer, receive.id);
  failure.hint = "let every node run the same exchanges in the same order";
  return Error(std::move(failure));
}

// How much longer only the segments to come would tell.
Error too_long(Rank rank, const Transfer& receive) {
  Failure failure = wrong_length(rank, receive, 0).failure();
  failure.what =
      fmt::format("rank {} sends more than the {} bytes that are expected", receive.peer, receive.bytes);
  return Error(std::move(failure));
}

Error ended(Rank rank, const Transfer& awaited) {
  Failure failure;
  failure.cause = Failure::Cause::kPeerLost;
  failure.rank = rank;
  failure.peer = awaited.peer;
  failure.op_id = awaited.id;
  failure.what =
      fmt::format("the MPI launcher ends this job (SIGTERM) while waiting for rank {}", awaited.peer);
  failure.hint = "look at what mpirun and the other ranks say: one of them has failed first";
  return Error(std::move(failure));
}

// Messages in one direction between this node and one peer, in the order of posting.
class Lane {
 public:
  Lane(MPI_Comm comm, Rank rank, Rank peer) : comm_(comm), rank_(rank), peer_(peer) {}

  [[nodiscard]] bool idle() const { return messages_.empty(); }
  void post(const Transfer& transfer, std::byte* data);
  /// Takes in what is complete and goes on with what follows. True when something was.
  bool advance(Counters& counters);
  /// The oldest of the batch, or of all; null: there is none.
  [[nodiscard]] const Transfer* find(const Batch* batch) const;
  /// MPI touches none of its memory any more, unless somebody makes MPI go on.
  void drop() noexcept;

 private:
  struct Message {
    Transfer transfer;
    std::byte* data = nullptr;  // where it lies, or goes to
    std::size_t posted = 0;     // bytes
    std::size_t done = 0;       // bytes
  };
  struct Segment {
    MPI_Request request = MPI_REQUEST_NULL;
    std::size_t bytes = 0;
    int tag = 0;
  };

  [[nodiscard]] std::byte* scratch(std::size_t slot) {
    return scratch_.data() + slot % kMostAdding * kSegmentBytes;
  }
  [[nodiscard]] bool oldest_is_complete();
  void check(const MPI_Status& status, const Segment& segment) const;
  void take_in_oldest(Counters& counters);
  void complete_message(Counters& counters);
  void post_segments();
  void post_segment(Message& message);
  void receive_segment(const Message& message, std::size_t slot);

  MPI_Comm comm_;
  Rank rank_;
  Rank peer_;
  std::vector<Message> messages_;              // outstanding, oldest first
  std::size_t unposted_ = 0;                   // the first message of which a segment is not posted yet
  std::array<Segment, kMostFlying> segments_;  // a ring
  std::size_t oldest_ = 0;
  std::size_t flying_ = 0;
  std::vector<std::byte> scratch_;  // a place for each segment; empty until something must be added
};

void Lane::post(const Transfer& transfer, std::byte* data) {
  messages_.push_back({.transfer = transfer, .data = data});
  post_segments();
}

void Lane::post_segments() {
  while (unposted_ < messages_.size()) {
    Message& message = messages_[unposted_];
    if (flying_ >= (is_added(message.transfer) ? kMostAdding : kMostFlying)) return;
    post_segment(message);
  }
}

void Lane::post_segment(Message& message) {
  const Transfer& transfer = message.transfer;
  const std::size_t slot = (oldest_ + flying_) % kMostFlying;
  Segment& segment = segments_[slot];
  segment.bytes = std::min(kSegmentBytes, transfer.bytes - message.posted);
  const bool last = message.posted + segment.bytes == transfer.bytes;
  segment.tag = tag_of(transfer.id, last);
  if (transfer.combine != nullptr) {
    receive_segment(message, slot);
  } else {
    const int code = MPI_Isend(message.data + message.posted, static_cast<int>(segment.bytes), MPI_BYTE,
                               peer_, segment.tag, comm_, &segment.request);
    if (code != MPI_SUCCESS) throw mpi_failed(rank_, code);
  }
  ++flying_;
  message.posted += segment.bytes;
  if (last) ++unposted_;
}

// With any tag: what does not fit is to be seen, not left lying.
void Lane::receive_segment(const Message& message, std::size_t slot) {
  const bool added = is_added(message.transfer);
  if (added && scratch_.empty()) scratch_.resize(kMostAdding * kSegmentBytes);
  std::byte* into = added ? scratch(slot) : message.data + message.posted;
  Segment& segment = segments_[slot];
  const int code =
      MPI_Irecv(into, static_cast<int>(segment.bytes), MPI_BYTE, peer_, MPI_ANY_TAG, comm_, &segment.request);
  if (code != MPI_SUCCESS) throw mpi_failed(rank_, code);
}

bool Lane::advance(Counters& counters) {
  bool moved = false;
  while (flying_ > 0 && oldest_is_complete()) {
    take_in_oldest(counters);
    post_segments();
    moved = true;
  }
  return moved;
}

bool Lane::oldest_is_complete() {
  Segment& segment = segments_[oldest_];
  int complete = 0;
  MPI_Status status;
  const int code = MPI_Test(&segment.request, &complete, &status);
  if (code == MPI_SUCCESS) {
    if (complete != 0 && messages_.front().transfer.combine != nullptr) check(status, segment);
    return complete != 0;
  }
  int kind = MPI_SUCCESS;
  MPI_Error_class(code, &kind);
  if (kind == MPI_ERR_TRUNCATE) throw too_long(rank_, messages_.front().transfer);
  throw mpi_failed(rank_, code);
}

void Lane::check(const MPI_Status& status, const Segment& segment) const {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (idx(bytes) == segment.bytes && status.MPI_TAG == segment.tag) return;
  const Message& message = messages_.front();
  if (!same_op(status.MPI_TAG, segment.tag)) throw other_op(rank_, message.transfer);
  const bool last = (status.MPI_TAG & 1) != 0;
  if (last) throw wrong_length(rank_, message.transfer, message.done + idx(bytes));
  throw too_long(rank_, message.transfer);
}

void Lane::take_in_oldest(Counters& counters) {
  Message& message = messages_.front();
  const Transfer& transfer = message.transfer;
  const std::size_t bytes = segments_[oldest_].bytes;
  if (is_added(transfer)) transfer.combine(message.data + message.done, scratch(oldest_), bytes);
  message.done += bytes;
  oldest_ = (oldest_ + 1) % kMostFlying;
  --flying_;
  if (message.done == transfer.bytes) complete_message(counters);
}

void Lane::complete_message(Counters& counters) {
  const Transfer& transfer = messages_.front().transfer;
  const bool sent = transfer.combine == nullptr;
  ++(sent ? counters.sent_messages : counters.received_messages);
  (sent ? counters.sent_bytes : counters.received_bytes) += static_cast<std::int64_t>(transfer.bytes);
  --transfer.batch->outstanding;
  messages_.erase(messages_.begin());
  --unposted_;
}

const Transfer* Lane::find(const Batch* batch) const {
  for (const Message& message : messages_) {
    if (batch == nullptr || message.transfer.batch == batch) return &message.transfer;
  }
  return nullptr;
}

void Lane::drop() noexcept {
  for (; flying_ > 0; --flying_, oldest_ = (oldest_ + 1) % kMostFlying) {
    MPI_Request& request = segments_[oldest_].request;
    if (request == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
  messages_.clear();
  unposted_ = 0;
}

// Nodes that have waited for long tell all others for whom, so that whoever is late can be named by those who
// wait for somebody who waits for it. Empty messages: what they say is their tag.
class Remarks {
 public:
  Remarks(MPI_Comm comm, Rank rank, Rank size) : comm_(comm), rank_(rank), size_(size) {}

  void say(Rank awaited) {
    if (std::exchange(said_, awaited) == awaited) return;
    for (Rank node = 0; node < size_; ++node) {
      if (node == rank_) continue;
      MPI_Request request = MPI_REQUEST_NULL;
      if (MPI_Isend(nullptr, 0, MPI_BYTE, node, awaited + 1, comm_, &request) == MPI_SUCCESS) {
        MPI_Request_free(&request);
      }
    }
  }
  void say_nobody() { say(kNobody); }

  void hear(Roster& roster) {
    for (;;) {
      int there = 0;
      MPI_Status status;
      if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &there, &status) != MPI_SUCCESS || there == 0)
        return;
      MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm_, MPI_STATUS_IGNORE);
      roster.waits_for(status.MPI_SOURCE, status.MPI_TAG - 1);
    }
  }

 private:
  static constexpr Rank kNobody = -1;

  MPI_Comm comm_;
  Rank rank_;
  Rank size_;
  Rank said_ = kNobody;
};

// This process among all, and the communicators that are ours alone.
struct World {
  MPI_Comm messages = MPI_COMM_NULL;
  MPI_Comm remarks = MPI_COMM_NULL;
  Rank rank = 0;
  Rank size = 1;
  bool on_one_host = true;
  bool crowded = false;  // more processes on this host than cores
};

class MpiWire final : public Wire {
 public:
  MpiWire(const World& world, const TermSignal& term);

  [[nodiscard]] std::string_view name() const override { return "mpi"; }
  [[nodiscard]] Rank rank() const override { return world_.rank; }
  [[nodiscard]] Rank size() const override { return world_.size; }
  [[nodiscard]] Counters counters() const override { return counters_; }
  [[nodiscard]] bool has_left() const { return left_; }

  void post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) override;
  void post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) override;
  void progress() override;
  void wait(const Batch& batch, const Deadline& deadline) override;
  void leave(const Failure& reason) noexcept override;

  void require_here() const {
    if (left_) throw gone(world_.rank, roster_);
  }

 private:
  void post(Lane& lane, const Transfer& transfer, std::byte* data);
  bool move();
  [[nodiscard]] Transfer missing(const Batch* batch) const;

  const World& world_;
  const TermSignal& term_;
  Roster roster_;  // what others have said of themselves
  Remarks remarks_;
  std::vector<Lane> sends_;     // by rank
  std::vector<Lane> receives_;  // by rank
  std::vector<Lane*> busy_;     // those with messages
  Counters counters_;
  bool left_ = false;
};

MpiWire::MpiWire(const World& world, const TermSignal& term)
    : world_(world), term_(term), roster_(world.size), remarks_(world.remarks, world.rank, world.size) {
  for (std::vector<Lane>* lanes : {&sends_, &receives_}) {
    for (Rank peer = 0; peer < world.size; ++peer) lanes->emplace_back(world.messages, world.rank, peer);
  }
}

void MpiWire::post(Lane& lane, const Transfer& transfer, std::byte* data) {
  require_here();
  if (lane.idle()) busy_.push_back(&lane);
  ++transfer.batch->outstanding;
  lane.post(transfer, data);
}

void MpiWire::post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) {
  // MPI does not write what it sends.
  post(sends_[idx(to)], {.batch = &batch, .peer = to, .id = id, .bytes = from.size()},
       const_cast<std::byte*>(from.data()));
}

void MpiWire::post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) {
  post(receives_[idx(from)], {&batch, from, id, into.size(), into.data(), combine}, into.data());
}

bool MpiWire::move() {
  bool moved = false;
  for (Lane* lane : busy_) moved |= lane->advance(counters_);
  if (moved) std::erase_if(busy_, [](const Lane* lane) { return lane->idle(); });
  return moved;
}

// Of those that the batch, or anything, waits for: a receive if there is one.
Transfer MpiWire::missing(const Batch* batch) const {
  for (const std::vector<Lane>* lanes : {&receives_, &sends_}) {
    for (const Lane& lane : *lanes) {
      if (const Transfer* transfer = lane.find(batch)) return *transfer;
    }
  }
  return {.peer = world_.rank};
}

void MpiWire::progress() {
  move();
  if (term_.came() && !busy_.empty()) throw ended(world_.rank, missing(nullptr));
}

void MpiWire::wait(const Batch& batch, const Deadline& deadline) {
  const Clock::duration quiet = std::min<Clock::duration>(deadline.limit() / 4, 1s);
  Clock::time_point moved = Clock::now();
  Patience patience(world_.crowded);
  while (!batch.complete()) {
    const bool moves = move();
    const Clock::time_point now = Clock::now();
    if (batch.complete()) break;
    if (term_.came()) throw ended(world_.rank, missing(&batch));
    if (now >= deadline.end()) {
      remarks_.hear(roster_);
      throw late_peer(world_.rank, missing(&batch), roster_, deadline);
    }
    if (moves) {
      moved = now;
      patience.restart();
      continue;
    }
    if (now - moved > quiet) remarks_.say(missing(&batch).peer);
    patience.look_away();
  }
  remarks_.say_nobody();
}

// The others learn of it when this process ends, which makes the launcher end them too.
void MpiWire::leave(const Failure& reason) noexcept {
  if (std::exchange(left_, true)) return;
  Failure told = reason;
  if (!told.rank) told.rank = world_.rank;
  roster_.fail(told);
  for (Lane* lane : busy_) lane->drop();
  busy_.clear();
}

// How many cores the processes of this host may use, all together: mpirun may have bound each to its own.
int cores_of_host(MPI_Comm host) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  ::sched_getaffinity(0, sizeof(cores), &cores);
  MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof(cores), MPI_BYTE, MPI_BOR, host);
  return CPU_COUNT(&cores);
}

World find_world() {
  World world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  for (MPI_Comm* comm : {&world.messages, &world.remarks}) {
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
  }
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world.rank, MPI_INFO_NULL, &host);
  int on_host = 1;
  MPI_Comm_size(host, &on_host);
  world.crowded = on_host > cores_of_host(host);
  int alone = on_host == world.size ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  world.on_one_host = alone != 0;
  MPI_Comm_free(&host);
  return world;
}

// Outlives a session that has failed.
const TermSignal* last_term = nullptr;

void abort_job() {
  if (last_term->came()) return;  // the job is being ended already
  std::cout.flush();
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

class Session final : public MpiSession {
 public:
  explicit Session(bool ends_mpi) : ends_mpi_(ends_mpi), world_(find_world()), wire_(world_, *term_) {}
  ~Session() override;

  [[nodiscard]] Rank rank() const override { return world_.rank; }
  [[nodiscard]] Rank size() const override { return world_.size; }
  [[nodiscard]] bool on_one_host() const override { return world_.on_one_host; }
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes) override;
  [[nodiscard]] Wire& wire() override { return wire_; }

 private:
  void wait(MPI_Request request);

  const bool ends_mpi_;  // false: the program has begun it, and ends it
  const int exceptions_ = std::uncaught_exceptions();
  std::unique_ptr<TermSignal> term_ = std::make_unique<TermSignal>();
  World world_;
  MpiWire wire_;
};

// An orderly end waits for all others; after a failure nobody may wait for them. The job ends with the
// process, so that the program can say first what happened; until then SIGTERM leaves it the time to do so.
Session::~Session() {
  if (wire_.has_left() || std::uncaught_exceptions() > exceptions_) {
    last_term = term_.release();
    std::atexit(abort_job);
    return;
  }
  MPI_Comm_free(&world_.messages);
  MPI_Comm_free(&world_.remarks);
  if (ends_mpi_) MPI_Finalize();
}

std::vector<std::vector<std::byte>> Session::gather(std::span<const std::byte> bytes) {
  wire_.require_here();
  std::vector<std::byte> all(bytes.size() * idx(world_.size));
  const int length = static_cast<int>(bytes.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(bytes.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, world_.messages, &request);
  wait(request);
  std::vector<std::vector<std::byte>> by_rank;
  for (auto next = all.begin(); by_rank.size() < idx(world_.size); next += length) {
    by_rank.emplace_back(next, next + length);
  }
  return by_rank;
}

void Session::wait(MPI_Request request) {
  const Deadline deadline = Deadline::after(kGatherLimit);
  Patience patience(world_.crowded);
  int complete = 0;
  while (MPI_Test(&request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && complete == 0) {
    if (term_->came() || deadline.expired()) {
      Failure failure;
      failure.cause = term_->came() ? Failure::Cause::kPeerLost : Failure::Cause::kTimeout;
      failure.rank = world_.rank;
      failure.what =
          term_->came() ? "the MPI launcher ends this job (SIGTERM)" : "not all processes have come";
      failure.op = "telling each other who they are";
      failure.elapsed = deadline.elapsed();
      failure.hint = "look at the output of the other ranks";
      wire_.leave(failure);
      throw Error(std::move(failure));
    }
    patience.look_away();
  }
}

// One process alone although its launcher started several: each of them would train by itself.
void require_own_launcher() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::optional<LaunchedAs> launched = mpi_launcher();
  if (size > 1 || !launched || launched->processes == 1) return;
  MPI_Finalize();
  const std::string version = mpi_version().value_or("another MPI");
  throw bad_input(fmt::format("this program is built with {}, but {} has started it: every one of its {} "
                              "processes is rank 0 of 1",
                              version, launched->launcher, launched->processes),
                  fmt::format("start it with the mpirun of {}", version));
}

}  // namespace

std::optional<std::string> mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data());
  return whole.substr(0, whole.find_first_of(",\n"));
}

std::unique_ptr<MpiSession> MpiSession::begin() {
  int begun = 0;
  MPI_Initialized(&begun);
  int over = 0;
  MPI_Finalized(&over);
  if (over != 0) throw bad_input("MPI has ended in this process and cannot begin again");
  int threads = MPI_THREAD_SINGLE;
  if (begun == 0) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads);
  require_own_launcher();
  return std::make_unique<Session>(begun == 0);
}

}  // namespace trireme
