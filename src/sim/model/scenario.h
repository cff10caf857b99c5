// The input of a prediction: a job and the cluster that it would run on, as a file describes them. Time can
// be described in two ways: by measured phases (`time`), or by a model, a network and hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "plan/mode.h"
#include "plan/plan.h"
#include "sim/model/time.h"

namespace trireme::sim {

using plan::Mode;

/// How computation times vary from round to round.
enum class Spread : std::uint8_t { kNone, kNormal, kLognormal, kExponential };

enum class Topology : std::uint8_t {
  kSwitch,  ///< every node has its own card, and a switch connects all without loss
  kRing,    ///< every node has a link to the next and to the previous node; messages go the shorter way
  kHosts,   ///< the nodes of a host share its card, and its memory for messages among themselves
};

/// The times of one round, for any number of workers.
struct MeasuredPhases {
  Picoseconds receive = 0;
  Picoseconds compute = 0;  ///< for one batch
  Picoseconds send = 0;
  Picoseconds aggregate_per_worker = 0;

  bool operator==(const MeasuredPhases&) const = default;
};

struct Scenario {
  struct Job {
    std::int64_t samples = 0;  ///< in the data set; 0: `rounds` or an end is given
    std::int64_t batch = 0;    ///< samples per worker and step
    std::int64_t epochs = 1;
    std::int64_t rounds = 0;  ///< instead of samples and epochs; federated: number of exchanges, 0 means one
    std::int64_t local_epochs = 1;  ///< federated: passes over a worker's own samples before the exchange
    std::int64_t local_steps = 1;   ///< batches that a worker computes between two exchanges
    std::int32_t workers = 1;
    bool federated = false;  ///< strategy "federated": one exchange with a server after all local epochs
    plan::Strategy strategy = plan::Strategy::kRing;  ///< parameter-server if federated
    Mode mode;
    std::int64_t until_updates = 0;  ///< the job ends after so many updates; 0: not given
    Picoseconds until = 0;           ///< the job ends at this time; 0: not given
    std::int32_t buckets = 1;        ///< equal parts of the gradient, exchanged one after the other
    bool overlap = false;            ///< a bucket is exchanged while backward computes the next ones
    std::int64_t seed = 1;

    bool operator==(const Job&) const = default;
  } job;

  using Phases = MeasuredPhases;  // which must be complete before an optional one can be made
  std::optional<Phases> time;

  struct Model {
    std::int64_t parameters = 0;
    std::int64_t bytes_per_parameter = 4;

    bool operator==(const Model&) const = default;
  } model;

  struct Network {
    Picoseconds latency = 0;  ///< messages under way overlap in it
    double bandwidth = 0;  ///< bytes per second, each way; 0: not given, and a message's size takes no time
    Picoseconds overhead = 0;  ///< for each message at each end, where it keeps the card busy
    Topology topology = Topology::kSwitch;

    bool operator==(const Network&) const = default;
  } network;

  struct Host {
    std::int32_t workers = 1;
    double memory_bandwidth = 0;  ///< bytes per second, shared by the messages inside a host; 0: unlimited
    std::int32_t cores = 0;       ///< shared by the computations of its workers; 0: one for each worker

    bool operator==(const Host&) const = default;
  } host;

  struct Compute {
    Picoseconds per_batch = 0;  ///< in files also `per_update`, for one core that computes and writes
    Picoseconds ready = 0;      ///< alternative for a synchronous round: when all gradients are ready
    Spread spread = Spread::kNone;
    double deviation = 0;         ///< of a normal or lognormal spread, as a fraction of the mean
    double backward = 0.5;        ///< the fraction of `per_batch` in which gradients become ready
    double reduce = 0;            ///< bytes per second at which a node adds up gradients; 0: takes no time
    std::vector<double> factors;  ///< by worker: so many times `per_batch`; 1 for workers not listed
    std::vector<Picoseconds> starts;  ///< by worker: when it begins; 0 for workers not listed

    bool operator==(const Compute&) const = default;
  } compute;

  struct Server {
    std::int32_t count = 1;
    bool on_workers = false;    ///< they run on the first workers instead of their own hosts
    Picoseconds aggregate = 0;  ///< per round, or per update where there are no rounds
    Picoseconds update = 0;     ///< the same

    bool operator==(const Server&) const = default;
  } server;

  bool operator==(const Scenario&) const = default;
};

}  // namespace trireme::sim
