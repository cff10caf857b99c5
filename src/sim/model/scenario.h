// What is to be predicted: a job, and the cluster that it would run on, as a file describes them. Two ways to
// describe time: measured phases (`time`), or a model, a network and hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "plan/plan.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// When a worker goes on with weights that others have not all contributed to.
struct Mode {
  enum class Kind : std::uint8_t {
    kSync,    ///< after everybody
    kAsync,   ///< after itself
    kSsp,     ///< when it is at most `number` rounds ahead of the slowest
    kBackup,  ///< after all but `number` workers, whose gradients of the round are thrown away
  };

  Kind kind = Kind::kSync;
  std::int32_t number = 0;

  friend bool operator==(const Mode&, const Mode&) = default;
};

/// How times of computation differ from round to round.
enum class Spread : std::uint8_t { kNone, kNormal, kLognormal, kExponential };

enum class Topology : std::uint8_t {
  kSwitch,  ///< every node has a card of its own, and a switch connects all without loss
  kRing,    ///< every node is linked with the next and the one before; messages go the shorter way
  kHosts,   ///< the nodes of a host share its card, and its memory among themselves
};

/// Of one round, whatever the number of workers.
struct MeasuredPhases {
  Picoseconds receive = 0;
  Picoseconds compute = 0;  ///< of one batch
  Picoseconds send = 0;
  Picoseconds aggregate_per_worker = 0;

  bool operator==(const MeasuredPhases&) const = default;
};

struct Scenario {
  struct Job {
    std::int64_t samples = 0;  ///< of the data set; 0: `rounds` or an end is given
    std::int64_t batch = 0;    ///< samples per worker and step
    std::int64_t epochs = 1;
    std::int64_t rounds = 0;        ///< instead of samples and epochs; federated: exchanges, 0 for one
    std::int64_t local_epochs = 1;  ///< federated: passes over a worker's own samples before the exchange
    std::int64_t local_steps = 1;   ///< batches that a worker computes between two exchanges
    std::int32_t workers = 1;
    bool federated = false;  ///< strategy "federated": one exchange with a server after all local epochs
    plan::Strategy strategy = plan::Strategy::kRing;  ///< parameter-server if federated
    Mode mode;
    std::int64_t until_updates = 0;  ///< ends after so many updates; 0: not said
    Picoseconds until = 0;           ///< ends at this moment; 0: not said
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
    Picoseconds latency = 0;  ///< overlaps between messages
    double bandwidth = 0;  ///< bytes per second, each way; 0: not said, and no message takes time by its size
    Picoseconds overhead = 0;  ///< of each message at each of its ends, where it keeps the card busy
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
    Picoseconds per_batch = 0;  ///< also `per_update`, as people say for one core that computes and writes
    Picoseconds ready = 0;      ///< of a synchronous round instead: when all gradients are there
    Spread spread = Spread::kNone;
    double deviation = 0;         ///< of a normal or lognormal spread, as a part of the mean
    double backward = 0.5;        ///< the part of `per_batch` in which gradients become ready
    double reduce = 0;            ///< bytes per second at which a node adds up gradients; 0: takes no time
    std::vector<double> factors;  ///< by worker: so many times `per_batch`; those not named: 1
    std::vector<Picoseconds> starts;  ///< by worker: when it begins; those not named: 0

    bool operator==(const Compute&) const = default;
  } compute;

  struct Server {
    std::int32_t count = 1;
    bool on_workers = false;    ///< they live on the first workers instead of hosts of their own
    Picoseconds aggregate = 0;  ///< per round, or per update where there are no rounds
    Picoseconds update = 0;     ///< likewise

    bool operator==(const Server&) const = default;
  } server;

  bool operator==(const Scenario&) const = default;
};

}  // namespace trireme::sim
