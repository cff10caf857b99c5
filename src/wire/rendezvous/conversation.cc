#include "wire/rendezvous/conversation.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <exception>

#include "base/error.h"

namespace trireme::wire::rendezvous {
namespace {

using namespace std::chrono_literals;

Error unknown_message() {
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.what = "a node of the job sent an unknown message";
  failure.hint = "start the same build of the program everywhere";
  return Error(std::move(failure));
}

bool is_for_later(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

// Reads all available bytes and discards them.
void hear_out(Conversation& talk) {
  while (!talk.is_over() && talk.hear(4096)) talk.forget();
  talk.forget();
}

}  // namespace

void Conversation::watch(PollSet& set) const {
  if (over_) return;
  set.watch(socket_.get(), static_cast<short>(has_said_all() ? POLLIN : POLLIN | POLLOUT));
}

void Conversation::say(std::span<const std::byte> bytes) {
  to_say_.insert(to_say_.end(), bytes.begin(), bytes.end());
  move();
}

void Conversation::move() {
  while (!over_ && !has_said_all()) {
    const ssize_t count =
        ::send(socket_.get(), to_say_.data() + said_, to_say_.size() - said_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      said_ += static_cast<std::size_t>(count);
    } else {
      over_ = !is_for_later(errno);
      if (errno != EINTR) return;
    }
  }
  to_say_.clear();
  said_ = 0;
}

bool Conversation::hear(std::size_t bytes) {
  while (!over_ && heard_.size() < bytes) {
    std::array<std::byte, 4096> buffer{};
    const std::size_t wanted = std::min(buffer.size(), bytes - heard_.size());
    const ssize_t count = ::recv(socket_.get(), buffer.data(), wanted, MSG_DONTWAIT);
    if (count > 0) {
      heard_.insert(heard_.end(), buffer.begin(), buffer.begin() + count);
    } else {
      over_ = count == 0 || !is_for_later(errno);
      if (count == 0 || errno != EINTR) break;
    }
  }
  return heard_.size() >= bytes;
}

std::optional<Message> Conversation::hear_message(Rank size) {
  if (!hear(std::max(heard_.size(), MessageHead::kBytes))) return std::nullopt;
  const auto head = parse_message_head(heard().first(MessageHead::kBytes), size);
  if (!head) throw unknown_message();
  if (!hear(MessageHead::kBytes + head->body_bytes)) return std::nullopt;
  Message message{head->kind, {heard_.begin() + MessageHead::kBytes, heard_.end()}};
  forget();
  return message;
}

void Conversation::close_own_end() {
  if (!over_) ::shutdown(socket_.get(), SHUT_WR);
}

void say_goodbye(std::span<Conversation* const> all, const Message& message) noexcept try {
  const Deadline deadline = Deadline::after(500ms);
  for (Conversation* talk : all) talk->say(message);
  while (!deadline.expired()) {
    PollSet set;
    bool all_over = true;
    for (Conversation* talk : all) {
      talk->move();
      if (talk->has_said_all()) talk->close_own_end();
      hear_out(*talk);
      talk->watch(set);
      all_over = all_over && talk->is_over();
    }
    if (all_over) return;
    set.wait(deadline);
  }
} catch (const std::exception&) {
  // Out of memory at most: then the others notice the end of the connection.
}

}  // namespace trireme::wire::rendezvous
