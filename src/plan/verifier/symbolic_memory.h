// The memory of every node while a plan is run on symbols: its buffer and its room, as runs of sums.
#pragma once

#include <vector>

#include "plan/plan.h"
#include "plan/verifier/problem.h"
#include "plan/verifier/run_map.h"
#include "plan/verifier/sum_pool.h"

namespace trireme::plan::verifier {

/// Applies the messages and folds of a plan and reports what goes wrong. Nodes begin with their contribution
/// in what they hold before the operation, and with nothing elsewhere.
class SymbolicMemory {
 public:
  SymbolicMemory(const Plan& plan, Problems& problems);

  /// Applies a message, given its receiving end. `writer` is the op's number in all programs, used to find
  /// data that is never read.
  void message(Rank from, Rank to, const Op& receive, std::uint32_t writer);
  void fold(Rank node, const Op& op, std::uint32_t writer);

  /// Compares what every node must hold with what is promised, and reports data that is no part of that and
  /// that no op has read.
  void check_results();

 private:
  struct Piece {
    std::int64_t offset;  // in the slice
    Sum sum;
  };
  struct Node {
    RunMap buffer, room;
  };

  void read(RunMap& memory, const Slice& slice, Rank node, const Op& op);
  void write(RunMap& memory, const Slice& slice, Rank node, const Op& op, std::uint32_t writer);
  Sum written_over(const Run& old, Sum incoming, Rank node, const Op& op);
  void check_source(Rank node, const Source& source, const Run& run, const Op& op);
  void add_up(const Slice& slice, std::span<const Sum> summands, Rank node, const Op& op);
  void check_result(Rank node, const Slice& slice);
  void report_result(Rank node, Sum sum, const Slice& slice);
  void report_moved(Rank node, Sum sum, const Slice& slice);
  Sum promised(std::int64_t element);
  Sum value_at(const Run& run, std::int64_t element);
  [[nodiscard]] std::int32_t last_step(Rank node) const;
  // The op that wrote a run; only a node's own ops write its memory.
  [[nodiscard]] const Op& writer_in(Rank node, const Run& run) const;
  void check_unread(Rank node, const RunMap& memory, const char* text);
  [[nodiscard]] Slice place_of(const Source& source, const Slice& part, const Op& op) const;

  const Plan& plan_;
  Problems& problems_;
  SumPool pool_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> first_writer_;  // by node: the number of its first op
  std::vector<Sum> promised_;                // of sums, by chunk, as far as requested
  Sum promised_everywhere_;  // the same in one symbol, for strategies in ring order; otherwise kNothing
  // Kept between calls to reuse their memory.
  std::vector<Piece> pieces_;
  std::vector<Run> made_;
  std::vector<Sum> summands_;
  std::vector<std::int64_t> borders_;
};

}  // namespace trireme::plan::verifier
