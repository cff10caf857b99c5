// The conformance tests on the MPI wire. MPI's launcher starts the nodes, so every process runs all tests,
// each as its own rank: mpirun -n 4 mpi_conformance
#include <gtest/gtest.h>

#include <cstdio>

#include "exec/conformance_test_util.h"
#include "exec/reduction_cases_test_util.h"
#include "wire/group_wire.h"
#include "wire/mpi/mpi.h"
#include "wire/point_to_point.h"

namespace trireme {
namespace {

wire::mpi::MpiSession* session = nullptr;

Rank rank() { return session->rank(); }

// All specs with exactly as many nodes as there are processes.
std::vector<plan::PlanSpec> specs(std::int64_t p) {
  std::vector<plan::PlanSpec> fitting;
  for (std::int32_t workers = 1; workers <= session->size(); ++workers) {
    for (const plan::PlanSpec& spec : exec::all_specs(workers, p)) {
      if (spec.nodes() == session->size()) fitting.push_back(spec);
    }
  }
  return fitting;
}

TEST(MpiConformance, GivesTheRightSumAndCountsEveryMessage) {
  for (const std::int64_t p : {0, 1, 2, 5, 17, 1000}) {
    for (const plan::PlanSpec& spec : specs(p)) {
      SCOPED_TRACE(exec::in_words(spec));
      const exec::ElementType type = exec::all_element_types()[idx(p) % exec::all_element_types().size()];
      const exec::NodeExchanged after =
          exec::exchange_on(session->wire(), exec::Memory::kPrivate, spec, type, exec::Reduction::kSum,
                            exec::small_numbers(spec, type)[idx(rank())], 1);
      EXPECT_TRUE(spec.is_server(rank()) || after.buffer == exec::sum_of_small_numbers(spec, type));
      EXPECT_EQ(after.counters, exec::tally_of(spec, rank(), type));
    }
  }
}

TEST(MpiConformance, GivesTheResultOfEveryTypeAndReduction) {
  std::uint64_t seed = 0;
  for (const plan::PlanSpec& spec : specs(0)) {
    exec::expect_results(session->wire(), exec::Memory::kPrivate, exec::reduction_cases(spec, ++seed));
  }
}

// Buffers of several segments each, with a shorter last one.
TEST(MpiConformance, GivesTheSameBitsAsThreadsForLargeBuffers) {
  const std::int64_t p = 700'003;
  const exec::ElementType type = exec::ElementType::kFloat32;
  for (const plan::PlanSpec& spec : specs(p)) {
    SCOPED_TRACE(exec::in_words(spec));
    const std::vector<exec::Numbers> brought = exec::rough_numbers(spec, type, 7);
    const exec::NodeExchanged after = exec::exchange_on(session->wire(), exec::Memory::kPrivate, spec, type,
                                                        exec::Reduction::kAverage, brought[idx(rank())], 2);
    std::vector<exec::Numbers> in_process = brought;
    exec::run_on_threads(spec, type, exec::spans(in_process), exec::Reduction::kAverage, exec::in_time());
    EXPECT_TRUE(spec.is_server(rank()) || after.buffer == in_process[idx(rank())]);
    EXPECT_EQ(after.counters, exec::tally_of(spec, rank(), type));
  }
}

// Messages in posting order, of every size near a border of segments, some of them several at once.
TEST(MpiWire, MovesMessagesOfEverySizeInOrder) {
  const std::vector<std::size_t> sizes = {0, 1, 64, 65536, 524287, 524288, 524289, 1048576, 5000001};
  wire::Wire& wire = session->wire();
  const Rank to = (rank() + 1) % session->size();
  const Rank from = (rank() + session->size() - 1) % session->size();
  std::vector<exec::Numbers> sent;
  std::vector<exec::Numbers> received;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sent.emplace_back(sizes[i], static_cast<std::byte>(idx(rank()) + i));
    received.emplace_back(sizes[i]);
  }
  wire::Batch batch;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    wire.post_receive(batch, from, static_cast<OpId>(i), received[i], wire::copy_bytes);
    wire.post_send(batch, to, static_cast<OpId>(i), sent[i]);
  }
  wire.wait(batch, exec::in_time());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_TRUE(received[i] == exec::Numbers(sizes[i], static_cast<std::byte>(idx(from) + i)))
        << sizes[i] << " bytes";
  }
}

// The sum of the ranks in the job, as powers of two, tells who took part.
void expect_sum_of_members(wire::Wire& group) {
  plan::PlanSpec spec;
  spec.workers = group.size();
  spec.parameters = 1;
  exec::Runner runner(spec, exec::ElementType::kInt64, group);
  std::int64_t number = std::int64_t{1} << rank();
  std::int64_t sum = 0;
  for (Rank member = 0; member < group.size(); ++member) {
    sum += std::int64_t{1} << group.members().job_rank(member);
  }
  runner.run(std::as_writable_bytes(std::span(&number, 1)), exec::in_time());
  EXPECT_EQ(number, sum);
}

TEST(MpiGroups, OverlapAndDoNotMixUpTheirMessages) {
  wire::Wire& job = session->wire();
  const auto pair = wire::split(job, rank() / 2, 0, exec::in_time());
  const auto shifted = wire::split(job, (rank() + 1) / 2, -rank(), exec::in_time());
  const auto reversed = wire::split(*pair, 0, -rank(), exec::in_time());
  const auto others =
      wire::split(job, rank() > 0 ? std::optional<std::int64_t>(3) : std::nullopt, 0, exec::in_time());
  EXPECT_EQ(others == nullptr, rank() == 0);
  for (int round = 0; round < 3; ++round) {
    for (wire::Wire* group : {pair.get(), shifted.get(), &job, reversed.get(), others.get()}) {
      if (group != nullptr) expect_sum_of_members(*group);
    }
  }
}

// What a message is told by.
exec::Numbers letter(std::size_t bytes, int about) {
  exec::Numbers text(bytes);
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<std::byte>(i * 7 + i / 251 + idx(about) * 31);
  return text;
}

// Around a circle: all are posted at once, and each node takes its own in another order than they were sent.
TEST(MpiTaggedMessages, ArriveWholeInTheOrderOfTheirTags) {
  wire::Wire& wire = session->wire();
  if (wire.size() == 1) return;
  constexpr std::size_t kSegment = std::size_t{256} << 10;
  const std::vector<std::size_t> sizes = {0, 1,      kSegment - 1, kSegment, kSegment + 1, 0, 4 * kSegment,
                                          7, 5000001};
  const std::vector<int> tags = {16383, 0, 77};
  const Rank to = (rank() + 1) % wire.size();
  const Rank from = (rank() + wire.size() - 1) % wire.size();
  wire::PointToPoint post(wire);
  std::vector<exec::Numbers> sent;
  for (const int tag : tags) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      sent.push_back(letter(sizes[i], rank() + tag + static_cast<int>(i)));
  }
  wire::Batch sends;
  for (std::size_t i = 0; i < sent.size(); ++i) post.post_send(sends, to, tags[i / sizes.size()], sent[i]);
  for (const int tag : {77, 16383, 0}) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      exec::Numbers got(sizes[i]);
      wire::Batch batch;
      post.post_receive(batch, from, tag, got);
      wire.wait(batch, exec::in_time());
      EXPECT_TRUE(got == letter(sizes[i], from + tag + static_cast<int>(i))) << tag << ", " << i;
    }
  }
  wire.wait(sends, exec::in_time());
}

TEST(MpiTaggedMessages, OfGroupsAndExchangesAreNotMixedUp) {
  wire::Wire& job = session->wire();
  const auto reversed = wire::split(job, 0, -rank(), exec::in_time());
  if (job.size() == 1) return;
  wire::PointToPoint in_job(job);
  wire::PointToPoint in_reversed(*reversed);
  const Rank last = job.size() - 1;
  const exec::Numbers texts[] = {letter(1'000'000, 1), letter(1'000'000, 2)};
  for (int round = 0; round < 3; ++round) {
    const wire::Counters before = job.counters();
    wire::Batch batch;
    exec::Numbers got[] = {exec::Numbers(1'000'000), exec::Numbers(1'000'000)};
    if (rank() == 0) {
      in_job.post_send(batch, last, 5, texts[0]);
      in_reversed.post_send(batch, 0, 5, texts[1]);
    }
    if (rank() == last && round == 0) in_job.post_receive(batch, 0, 5, got[0]);
    expect_sum_of_members(*reversed);
    EXPECT_EQ(job.counters(), before);
    expect_sum_of_members(job);
    if (rank() == last) {
      in_reversed.post_receive(batch, last, 5, got[1]);
      if (round > 0) in_job.post_receive(batch, 0, 5, got[0]);
    }
    job.wait(batch, exec::in_time());
    if (rank() != last) continue;
    EXPECT_TRUE(got[0] == texts[0]);
    EXPECT_TRUE(got[1] == texts[1]);
  }
}

TEST(MpiSession, GathersEveryProcessesBytesByRank) {
  const std::vector<std::byte> own(3, static_cast<std::byte>(rank()));
  const std::vector<std::vector<std::byte>> all =
      session->gather(own, Deadline::after(std::chrono::seconds(60)));
  ASSERT_EQ(all.size(), idx(session->size()));
  for (Rank node = 0; node < session->size(); ++node) {
    EXPECT_EQ(all[idx(node)], std::vector<std::byte>(3, static_cast<std::byte>(node)));
  }
}

TEST(MpiSession, SeesThatAllProcessesAreOnThisHost) { EXPECT_TRUE(session->on_one_host()); }

}  // namespace
}  // namespace trireme

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    const auto begun =
        trireme::wire::mpi::MpiSession::begin(trireme::Deadline::after(std::chrono::seconds(60)));
    trireme::session = begun.get();
    return RUN_ALL_TESTS();
  } catch (const trireme::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
