// A ring all-reduce in SimGrid's S4U, for comparison: simgrid_ring WORKERS BYTES. Every host has a card of
// 1.25 GB/s each way behind a switch; a message takes 25 µs to the switch and 25 µs from it. Prints the
// simulated seconds, the seconds that the simulation took, and its messages. SimGrid's own options, such as
// --cfg=network/model:CM02, may be anywhere.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace s4u = simgrid::s4u;

namespace {

void take_part(int rank, int workers, double bytes) {
  s4u::Mailbox* const next = s4u::Mailbox::by_name(std::to_string((rank + 1) % workers));
  s4u::Mailbox* const own = s4u::Mailbox::by_name(std::to_string(rank));
  static int something = 0;  // SimGrid passes pointers on; nothing reads this one
  for (int step = 0; step < 2 * (workers - 1); ++step) {
    const s4u::CommPtr sent = next->put_async(&something, bytes / workers);
    int* received = nullptr;
    const s4u::CommPtr came = own->get_async<int>(&received);
    sent->wait();
    came->wait();
  }
}

std::vector<s4u::Host*> make_cluster(int workers) {
  auto* const zone = s4u::create_star_zone("cluster");
  std::vector<s4u::Host*> hosts;
  for (int i = 0; i < workers; ++i) {
    s4u::Host* const host = zone->create_host("host" + std::to_string(i), "1Gf")->seal();
    auto* const card =
        zone->create_split_duplex_link("card" + std::to_string(i), "1.25GBps")->set_latency("25us");
    card->seal();
    const s4u::LinkInRoute way(card, s4u::LinkInRoute::Direction::UP);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {way}, true);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

}  // namespace

int main(int argc, char** argv) {
  s4u::Engine engine(&argc, argv);
  if (argc != 3) {
    std::fputs("simgrid_ring: give the number of workers and of bytes\n", stderr);
    return 2;
  }
  const int workers = std::atoi(argv[1]);
  const double bytes = std::atof(argv[2]);
  const std::vector<s4u::Host*> hosts = make_cluster(workers);
  for (int i = 0; i < workers; ++i) {
    s4u::Actor::create("worker" + std::to_string(i), hosts[static_cast<std::size_t>(i)], take_part, i,
                       workers, bytes);
  }
  const auto start = std::chrono::steady_clock::now();
  engine.run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%.9f %.6f %.0f\n", s4u::Engine::get_clock(), took.count(), 2.0 * workers * (workers - 1));
}
