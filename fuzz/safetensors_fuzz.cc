// Any bytes as a safetensors file, and as the state of update rules: they are refused with an `Error`, or
// give tensors that fill the file and can be written and read back.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/system/fd.h"
#include "checkpoint/rule_state.h"
#include "checkpoint/safetensors_file.h"
#include "checkpoint/safetensors_writer.h"
#include "fuzz/configuration.h"

namespace trireme::checkpoint {
namespace {

// A file in memory.
std::string path_of(const Fd& memory) { return "/proc/self/fd/" + std::to_string(memory.get()); }

Fd in_memory(std::span<const std::uint8_t> bytes) {
  Fd memory = own(::memfd_create("fuzz", MFD_CLOEXEC), "make a file in memory");
  require(write_all(memory.get(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  return memory;
}

// Not inside `try_or_refuse`, because what was read must not be refused when it is written.
void require_same_again(const SafetensorsFile& file) {
  std::vector<std::vector<std::byte>> contents;
  for (const StoredTensor& tensor : file.tensors()) contents.push_back(file.read(tensor));
  std::vector<TensorView> tensors;
  for (std::size_t i = 0; i < contents.size(); ++i) tensors.push_back({file.tensors()[i].info, contents[i]});
  std::vector<std::uint8_t> again;
  stream_safetensors(tensors, file.metadata(), [&](std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) again.push_back(static_cast<std::uint8_t>(byte));
  });
  const Fd memory = in_memory(again);
  const SafetensorsFile read(path_of(memory));
  require(read.metadata() == file.metadata() && read.tensors().size() == tensors.size());
  for (const TensorView& tensor : tensors) {
    const StoredTensor* found = read.find(tensor.info.name);
    require(found != nullptr && found->info == tensor.info);
    const std::vector<std::byte> bytes = read.read(*found);
    require(std::equal(bytes.begin(), bytes.end(), tensor.bytes.begin(), tensor.bytes.end()));
  }
}

void try_file(std::span<const std::uint8_t> bytes) {
  const Fd memory = in_memory(bytes);
  std::optional<SafetensorsFile> file;
  try_or_refuse([&] { file.emplace(path_of(memory)); });
  if (!file) return;
  std::uint64_t end = 0;
  for (const StoredTensor& tensor : file->tensors()) {
    require(tensor.begin == end && byte_count(tensor.info) == tensor.bytes);
    end += tensor.bytes;
  }
  require(end <= bytes.size());
  require_same_again(*file);
}

void try_rule_state(std::span<const std::uint8_t> bytes) {
  const Fd memory = in_memory(bytes);
  try_or_refuse([&] {
    std::vector<SafetensorsFile> files;
    files.emplace_back(path_of(memory));
    const RuleStateReader reader(std::move(files));
    std::vector<float> values(100);
    for (const std::string& parameter : reader.parameters()) {
      require(reader.steps(parameter, 0, 100) >= 0);
      for (const std::string& state : reader.states(parameter)) {
        require(reader.read(parameter, state, 50, values) <= std::ssize(values));
      }
    }
  });
}

}  // namespace
}  // namespace trireme::checkpoint

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trireme::checkpoint::try_file({data, size});
  trireme::checkpoint::try_rule_state({data, size});
  return 0;
}
