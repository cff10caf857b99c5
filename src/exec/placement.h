// Where the ops of a program find their slices in the memory of their node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/buffers.h"
#include "exec/executor.h"
#include "exec/task.h"

namespace trireme::exec {

/// A slice that a node keeps lies in `into` from the start, a slice that it only sends in `from`. Slices that
/// it changes or passes on, and does not keep, lie aside. So `from` is never written.
class Placement {
 public:
  /// Resolves everything that does not change from run to run.
  explicit Placement(const Task& task);

  /// Copies the node's own elements to where its ops expect them.
  void begin(const Buffers& buffers);
  /// The program has run: copies results that lie aside to their place.
  void end();

  /// The slice of the op with this index in the program. It is const for a send.
  [[nodiscard]] std::byte* at(std::size_t op) const { return at(spots_[op]); }

 private:
  enum Region : std::uint8_t { kFrom, kInto, kAside };
  struct Spot {
    Region region = kInto;
    std::size_t offset = 0;
  };
  struct Copy {
    Spot from;
    Spot into;
    std::size_t bytes = 0;
  };
  // A range of elements that lies in one piece.
  struct Piece {
    plan::Slice slice;
    Spot spot;
  };

  [[nodiscard]] static std::vector<Piece> packed(const Task& task, const std::vector<plan::Slice>& slices,
                                                 Region region);
  [[nodiscard]] static std::vector<Piece> pieces_aside(const Task& task, const std::vector<Piece>& kept);
  [[nodiscard]] static std::vector<Copy> copies(const Task& task, const std::vector<Piece>& from,
                                                const std::vector<Piece>& into);
  [[nodiscard]] static const Piece* find(const std::vector<Piece>& pieces, const plan::Slice& slice);
  [[nodiscard]] std::byte* at(const Spot& spot) const { return regions_[spot.region] + spot.offset; }
  void run(const std::vector<Copy>& copies) const;

  std::vector<Spot> spots_;  // by op
  std::vector<Copy> at_begin_;
  std::vector<Copy> at_end_;
  Room aside_;
  std::array<std::byte*, 3> regions_{};
};

}  // namespace trireme::exec
