// The configuration of a training: model, data, update rule and exchange; everything about a job but the
// machine. train_keys.cc has the keys of the file, with their meanings and ranges.
#pragma once

#include <trireme/parameter_group.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "data/byte_source.h"
#include "data/csv_file.h"
#include "data/normalization.h"
#include "data/synthetic.h"
#include "optim/rule_spec.h"
#include "optim/schedule.h"
#include "plan/mode.h"
#include "wire/wire_kind.h"

namespace trireme::train {

enum class ModelKind : std::uint8_t { kLinear, kMlp, kCnn };
enum class DataKind : std::uint8_t { kIdx, kCsv, kNpy, kSynthetic };
enum class Loss : std::uint8_t { kCrossEntropy, kMse };

/// The members are the keys of the file: [model] kind is `model.kind`, and so on.
struct TrainConfig {
  struct Model {
    ModelKind kind = ModelKind::kCnn;
    std::vector<std::int64_t> hidden = {512, 256};  ///< for mlp
    std::string init{};                             ///< a file of weights to begin with; empty: random ones

    bool operator==(const Model&) const = default;
  } model;
  struct Data {
    DataKind kind = DataKind::kIdx;
    std::string path = data::kFashionMnistFolder;  ///< for idx: a folder; for csv and npy: a file
    // For npy:
    std::string labels{};
    std::string test_labels{};
    // For csv:
    std::string label{};  ///< the name or number of a column
    data::CsvHeader header = data::CsvHeader::kAuto;
    // For csv and npy:
    std::string test_path{};  ///< empty: some of the samples are held back for the test
    double test_share = 0.1;  ///< then

    data::NormalizeKind normalize = data::NormalizeKind::kUnit;
    std::int64_t batch = 64;    ///< of each worker
    std::int64_t classes = 10;  ///< 0: one more than the largest label; usual for csv and npy
    // For synthetic:
    data::SyntheticKind pattern = data::SyntheticKind::kBlobs;
    std::int64_t train_samples = 6000;
    std::int64_t test_samples = 1000;
    std::vector<std::int64_t> shape;  ///< empty: as usual for the pattern

    bool operator==(const Data&) const = default;
  } data;
  struct Train {
    Loss loss = Loss::kCrossEntropy;
    std::int64_t epochs = 3;  ///< 0: evaluates alone
    std::int64_t steps = 0;   ///< 0: as many as the epochs have; else the end, however many epochs that are
    std::uint64_t seed = 1;
    std::int64_t eval_every = 1;  ///< epochs; 0: only at the end
    std::int64_t threads = 0;     ///< of each worker; 0: the cores of the host divided among its workers
    std::int64_t log_every = 50;  ///< steps
    /// A worker that takes so many times as long to compute, for tests and demonstrations.
    struct Slow {
      Rank worker = 0;
      double factor = 1;

      bool operator==(const Slow&) const = default;
    };
    std::vector<Slow> slow{};

    bool operator==(const Train&) const = default;
  } train;
  RuleSpec optimizer{.kind = RuleKind::kMomentum, .rate = 0.05};  ///< [optimizer] kind, rate, momentum, …
  double clip_norm = 0;                                           ///< [optimizer] clip_norm; 0: none
  struct Group {
    std::string match;               ///< a pattern of names of parameters
    std::optional<RuleSpec> rule{};  ///< the usual one of its kind
    std::optional<double> rate{};    ///< that the schedule starts from; nothing: that of `rule`, or of all
    std::optional<double> weight_decay{};  ///< likewise

    bool operator==(const Group&) const = default;
  };
  std::vector<Group> groups;  ///< [[optimizer.group]]
  optim::ScheduleSpec schedule;
  struct Exchange {
    std::string strategy = "auto";  ///< besides the strategies: none, for benchmarks
    wire::WireKind wire = wire::WireKind::kAuto;
    Rank workers = 4;
    Rank servers = 0;   ///< dedicated ones, with parameter-server; 0: a share on each worker
    plan::Mode mode{};  ///< of dedicated servers
    std::string staleness_rate = "workers";  ///< as in ExchangeOptions
    std::int64_t bucket_bytes = std::int64_t{4} << 20;
    std::string drive = "measure";  ///< measure, after, hooks, thread
    std::chrono::nanoseconds timeout = std::chrono::seconds(60);

    bool operator==(const Exchange&) const = default;
  } exchange;
  /// How often something happens: after so many steps, or when so much time has passed; both 0: never.
  struct Interval {
    std::int64_t steps = 0;
    std::chrono::nanoseconds time{};

    bool operator==(const Interval&) const = default;
  };
  struct Run {
    std::string out;              ///< a folder; empty: nothing is written
    Interval checkpoint_every{};  ///< besides the one at the end
    std::int64_t keep = 2;        ///< checkpoints; 0: all
    std::string save{};           ///< a file for the weights at the end; empty: none
    std::string replay{};  ///< a schedule whose gradients are applied again, in one process; empty: none

    bool operator==(const Run&) const = default;
  } run;

  bool operator==(const TrainConfig&) const = default;
};

/// The rule of a job that names its kind alone: PyTorch's defaults, but for momentum, which without any word
/// is the rule of `TrainConfig`.
[[nodiscard]] RuleSpec usual_rule(RuleKind kind);
/// The same by a name with its number: "steepest:lp=3".
[[nodiscard]] RuleSpec usual_rule(std::string_view name);

/// The groups of parameters that an Exchange is told.
[[nodiscard]] std::vector<ParameterGroup> groups_of(const TrainConfig& config);

/// A rule of the job needs whole tensors, which shares of weights must not cut.
[[nodiscard]] bool needs_whole_tensors(const TrainConfig& config);

/// Throws `Error` (bad input) where members that are each in the range of their key do not go together. A
/// cosine of 0 total steps is fine: it goes to the end of the job, which is known when the data are.
void check(const TrainConfig& config);
/// The same for what depends on the number of workers and servers, which a launcher may decide.
void check_nodes(const TrainConfig& config);

}  // namespace trireme::train
