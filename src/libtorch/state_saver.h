// Saves the state of a training: each node its part, all of them at the same step. One of them, the leader,
// makes the checkpoint and completes it.
//
// Bytes are copied first and written by a thread; where memory for the copy is short, they are written at
// once. Nodes learn in the notes of later rounds that all have written; then they tell each other the sums of
// their files, and the leader completes the checkpoint in its thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/world_impl.h"
#include "checkpoint/saving.h"
#include "checkpoint/shared_folder.h"
#include "checkpoint/state.h"
#include "libtorch/module_tensors.h"
#include "libtorch/rule_state_owner.h"
#include "libtorch/stored_tensors.h"
#include "rounds/agreement.h"
#include "rounds/round_note.h"

namespace trireme::libtorch {

/// "own-program.safetensors" has the tensors of the user's program.
inline constexpr const char* kOwnFile = "program";

/// What is to be saved besides the state of the nodes. That of the leader counts.
struct SaveRequest {
  std::filesystem::path run;
  std::string config;  ///< as TOML; empty: none
  checkpoint::State state;
  std::vector<NamedTensor> own{};  ///< of the user's program
  std::int64_t keep = 0;           ///< how many checkpoints the run keeps; 0: all
  bool in_background = true;
};

/// How a save ended, for the leader.
struct SaveResult {
  std::int64_t step = 0;
  std::filesystem::path folder;      ///< of the checkpoint
  std::optional<Failure> failure{};  ///< nothing: it is complete
  std::uint64_t bytes = 0;           ///< of all nodes
  double seconds = 0;                ///< from its beginning to its completion
};

/// "trireme: no checkpoint of step 40: WHY; the program goes on", a line for standard error.
[[nodiscard]] std::string lost_checkpoint(const SaveResult& result);

/// Not thread-safe. Calls marked *together* are made by all nodes, servers too. The end of one waits for the
/// threads of this node.
class StateSaver {
 public:
  /// All outlive it.
  StateSaver(WorldAccess::Inside& inside, rounds::Standing& standing, Rank workers)
      : inside_(inside), standing_(standing), workers_(workers) {}

  /// What a node holds; `with_weights`: as the leader.
  struct Holdings {
    const std::vector<NamedTensor>& parameters;
    const std::vector<NamedTensor>& buffers;
    bool own_buffers = false;  ///< each worker has others
    RuleStateOwner& update;
  };
  /// *Together.* `request`: on the leader at least. Settles what is under way first.
  void save(Rank leader, const SaveRequest* request, const Holdings& holdings);
  /// *Together*, after each round.
  void look(const rounds::Round& round);
  /// *Together.* Waits until everything is written; on the leader, until it is complete.
  void settle();
  [[nodiscard]] bool is_under_way() const { return concluded_ < begun_; }

  /// On the leader: how the last save ended, once.
  [[nodiscard]] std::optional<SaveResult> take_result();

 private:
  struct Order;
  struct RawFile {
    std::string name;
    torch::Tensor bytes;
  };

  [[nodiscard]] Order give_order(const SaveRequest& request, std::optional<checkpoint::Mark>& mark);
  [[nodiscard]] std::vector<FileContent> own_part(Rank leader, const SaveRequest* request,
                                                  const Holdings& holdings,
                                                  const std::vector<bool>& sees) const;
  [[nodiscard]] std::vector<RawFile> bring_to_leader(Rank leader, const std::vector<FileContent>& files,
                                                     const std::vector<bool>& sees);
  void write(std::vector<FileContent> files, std::vector<RawFile> raw, const Order& order);
  void conclude();
  void end_completion();

  WorldAccess::Inside& inside_;
  rounds::Standing& standing_;
  const Rank workers_;
  std::int64_t begun_ = 0;
  std::int64_t concluded_ = 0;
  std::future<std::string> writing_;  // tells what has become of this node's files

  // On the leader alone, of the save that is under way:
  std::unique_ptr<checkpoint::Saving> saving_;
  SaveRequest request_;
  std::chrono::steady_clock::time_point start_;
  std::future<SaveResult> completing_;
  std::optional<SaveResult> result_;
};

}  // namespace trireme::libtorch
