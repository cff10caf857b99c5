// Connects a node with all others: it calls the lower ranks and accepts the higher ones, all at once.
#pragma once

#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/error.h"
#include "wire/rendezvous/acceptor.h"
#include "wire/rendezvous/address.h"
#include "wire/rendezvous/connector.h"
#include "wire/rendezvous/rendezvous.h"

namespace trireme::wire::rendezvous {

class LinkMaker {
 public:
  LinkMaker(const Self& self, Fd listener);

  /// Starts to call every lower rank at its address.
  void call(const std::vector<Address>& by_rank);

  void watch(PollSet& set) const;
  /// Returns the visitors that came to meet rank 0, which this node has not let in. Throws `Error` if a call
  /// fails for good, or if a node of another version or size comes.
  [[nodiscard]] std::vector<Visitor> move(const PollSet& set);

  [[nodiscard]] bool is_complete() const { return missing().empty(); }
  /// The ranks to which a connection is missing.
  [[nodiscard]] std::vector<Rank> missing() const;
  /// Why the meeting fails if its deadline passes while some are missing; says what is known about one of
  /// them.
  [[nodiscard]] Failure late() const;
  [[nodiscard]] const Acceptor& door() const { return door_; }

  [[nodiscard]] std::vector<Link> take() { return std::move(links_); }

 private:
  void let_in(Visitor visitor);
  void keep(Hello::Kind kind, Rank peer, Fd socket);

  const Self self_;
  Acceptor door_;
  std::vector<Connector> callers_;
  std::vector<Link> links_;  // by rank
};

/// Throws `Error` (mismatch), after telling the visitor, if it has another version or belongs to a job of
/// another size.
void require_same_job(const Self& self, Visitor& visitor);
/// Tells a visitor why it is refused.
void refuse(Visitor& visitor, const Failure& why);

}  // namespace trireme::wire::rendezvous
