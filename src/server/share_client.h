// A worker's end of all servers: it pushes the gradient of a mini-batch and gets weights back.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "server/ledger.h"
#include "server/placement.h"
#include "server/seat.h"

namespace trireme::server {

class ShareClient {
 public:
  /// Seats by server. They and the placement outlive it.
  ShareClient(std::vector<std::unique_ptr<Seat>>& seats, const Placement& placement, Rank worker,
              Rank workers, std::chrono::nanoseconds timeout);

  /// Returns the number of the first mini-batch; kNone: there are too few.
  std::int64_t begin(const Phase& phase);

  /// Where the gradients of a share go before a push, and weights are after it.
  [[nodiscard]] std::span<float> numbers(std::size_t server) const { return seats_[server]->numbers(); }
  [[nodiscard]] bool has_share(std::size_t server) const { return seats_[server] != nullptr; }
  void set_has_gradient(std::size_t server, const std::vector<bool>& parts) {
    seats_[server]->set_has_gradient(parts);
  }

  struct Gradient {
    std::int64_t number = 0;  ///< of its mini-batch
    double rate = 0;
    double loss = 0;
    std::uint8_t wishes = 0;
  };
  /// Returns the answer of the server that hands out mini-batches, when all have answered.
  AnswerNote push(const Gradient& gradient);
  /// The same once more, as if the answer had been lost. It changes nothing at the servers.
  AnswerNote push_again();
  /// Leaves the phase. Returns when all workers have, with the weights that all get.
  AnswerNote leave(std::uint8_t wishes);

  [[nodiscard]] std::int64_t sequence() const { return last_.sequence; }
  void set_sequence(std::int64_t sequence) { last_.sequence = sequence; }
  /// The messages of all updates, as the wire counted them and by the plan; and all others.
  [[nodiscard]] wire::Counters counted() const;
  [[nodiscard]] const wire::Counters& planned() const { return planned_; }
  [[nodiscard]] const wire::Counters& others() const { return others_; }

 private:
  AnswerNote exchange();
  template <typename Take>
  void for_each_answer(const std::vector<bool>& left_out, Take take);
  [[nodiscard]] wire::Counters tally() const;

  std::vector<std::unique_ptr<Seat>>& seats_;
  const Placement& placement_;
  const Rank worker_;
  const Rank workers_;
  const std::chrono::nanoseconds timeout_;
  PushNote last_;
  std::vector<std::int64_t> rounds_;  // by server: at hand there
  wire::Counters planned_;
  wire::Counters others_;
};

}  // namespace trireme::server
