#include "libtorch/node_texts.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/types.h"
#include "wire/notes.h"

namespace trireme::libtorch {

std::vector<std::string> share_texts(wire::Wire& wire, const std::string& own, std::string_view purpose,
                                     const Deadline& deadline) {
  const std::uint64_t length = own.size();
  const std::vector<std::byte> told =
      wire::share_notes(wire, std::as_bytes(std::span(&length, 1)), purpose, deadline);
  std::vector<std::uint64_t> lengths(idx(wire.size()));
  std::memcpy(lengths.data(), told.data(), told.size());
  std::string padded = own;
  padded.resize(*std::max_element(lengths.begin(), lengths.end()));
  const std::vector<std::byte> notes =
      wire::share_notes(wire, std::as_bytes(std::span(padded)), purpose, deadline);
  std::vector<std::string> texts;
  for (std::size_t node = 0; node < lengths.size(); ++node) {
    const char* text = reinterpret_cast<const char*>(notes.data()) + node * padded.size();
    texts.emplace_back(text, lengths[node]);
  }
  return texts;
}

}  // namespace trireme::libtorch
