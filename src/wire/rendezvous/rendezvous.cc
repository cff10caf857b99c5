#include "wire/rendezvous/rendezvous.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "wire/rendezvous/client.h"
#include "wire/rendezvous/message.h"
#include "wire/rendezvous/server.h"

namespace trireme::wire::rendezvous {
namespace {

void require_sound(const MeetingPlace& place, const std::vector<std::byte>& card) {
  if (place.size > kMostRanks) {
    throw bad_input(fmt::format("a job of {} nodes is too large: at most {} can meet",
                                with_commas(place.size), with_commas(kMostRanks)),
                    "start fewer nodes, or look at the size that this node was told");
  }
  if (place.size < 1 || place.rank < 0 || place.rank >= place.size) {
    throw bad_input(fmt::format("there is no rank {} in a job of {} nodes", place.rank, place.size));
  }
  if (card.size() > kMostCardBytes) {
    throw bad_input(fmt::format("a card has {} bytes; {} are possible", card.size(), kMostCardBytes));
  }
}

std::string name_of(const MeetingPlace& place) {
  return place.address.host.empty() ? fmt::format("port {}", port_of(place.listener))
                                    : to_string(place.address);
}

}  // namespace

Met meet(MeetingPlace place, const Secret& secret, const std::vector<std::byte>& card,
         const Deadline& deadline, std::uint32_t version) {
  require_sound(place, card);
  const Self self{place.rank, place.size, version, &secret};
  if (place.size == 1) {
    Met met;
    met.cards.push_back(card);
    met.links.emplace_back();
    return met;
  }
  // Two connections to each other node, connections that are not identified yet, and the program's own files.
  allow_open_files(2 * idx(place.size) + 16);
  if (place.rank == 0) {
    const std::string name = name_of(place);
    return Server(self, std::move(place.listener), name, card, std::move(place.has_ended)).meet(deadline);
  }
  Address own{own_host_towards(place.address.host), 0};
  Fd listener = listen_at(own);
  own.port = port_of(listener);
  return Client(self, std::move(listener), own, std::move(place), card).meet(deadline);
}

}  // namespace trireme::wire::rendezvous
