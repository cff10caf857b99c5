#include "libtorch/state_saver.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "checkpoint/names.h"
#include "checkpoint/rule_state.h"
#include "checkpoint/shared_folder.h"
#include "libtorch/generator_state.h"
#include "libtorch/node_texts.h"
#include "wire/notes.h"

namespace trireme::libtorch {
namespace {

using Clock = std::chrono::steady_clock;
using checkpoint::FileSum;
using checkpoint::RuleStatePart;

constexpr char kFailed = '!';  // begins what a node tells instead of its files

// "!WHAT\nHINT"
std::string failure_text(const std::exception& exception) {
  const Failure failure = failure_of(exception);
  return fmt::format("{}{}\n{}", kFailed, failure.what, failure.hint);
}

Failure failure_from(const std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  Failure failure;
  failure.cause = Failure::Cause::kFailed;
  failure.what = text.substr(1, end - 1);
  if (end < text.size()) failure.hint = text.substr(end + 1);
  return failure;
}

// "NAME BYTES CRC" in each line.
std::string text_of(const std::vector<FileSum>& files) {
  std::string text;
  for (const FileSum& file : files) text += fmt::format("{} {} {}\n", file.name, file.bytes, file.crc32);
  return text;
}

std::vector<FileSum> files_of(const std::string& text) {
  std::vector<FileSum> files;
  std::istringstream words(text);
  for (FileSum file; words >> file.name >> file.bytes >> file.crc32;) files.push_back(file);
  return files;
}

// Memory that this host can give without pushing anything out; nothing is known: as much as you like.
std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    std::uint64_t kilobytes = 0;
    if (words >> key >> kilobytes && key == "MemAvailable:") return kilobytes << 10;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t bytes_of(const std::vector<FileContent>& files) {
  std::uint64_t bytes = 0;
  for (const FileContent& file : files) bytes += file.bytes();
  return bytes;
}

std::uint64_t bytes_of(const std::vector<RuleStatePart>& parts) {
  std::uint64_t bytes = 0;
  for (const RuleStatePart& part : parts) {
    for (const checkpoint::RuleStateValues& state : part.states) bytes += state.values.size_bytes();
  }
  return bytes;
}

// Elements [first, end) of all parts in a row.
std::vector<RuleStatePart> cut(const std::vector<RuleStatePart>& parts, std::int64_t first,
                               std::int64_t end) {
  std::vector<RuleStatePart> piece;
  std::int64_t at = 0;
  for (const RuleStatePart& part : parts) {
    const std::int64_t from = std::max(first - at, std::int64_t{0});
    const std::int64_t to = std::min(end - at, part.count);
    at += part.count;
    if (from >= to) continue;
    RuleStatePart taken{part.parameter, part.first + from, to - from, part.steps};
    for (const checkpoint::RuleStateValues& state : part.states) {
      taken.states.push_back({state.state, state.values.subspan(idx(from), idx(to - from))});
    }
    piece.push_back(std::move(taken));
  }
  return piece;
}

// All writers have all parts. The leader, which is the first of them, also writes the weights, so it takes so
// much less of these.
std::vector<RuleStatePart> share_of(const std::vector<RuleStatePart>& parts, std::uint64_t weight_bytes,
                                    std::int64_t writer, std::int64_t writers) {
  std::int64_t count = 0;
  for (const RuleStatePart& part : parts) count += part.count;
  const std::uint64_t bytes = bytes_of(parts);
  const std::uint64_t fair = (bytes + weight_bytes) / static_cast<std::uint64_t>(writers);
  const double of_leader =
      writers == 1 ? 1
      : bytes == 0 ? 0
                   : static_cast<double>(fair - std::min(fair, weight_bytes)) / static_cast<double>(bytes);
  const auto border = static_cast<std::int64_t>(of_leader * static_cast<double>(count));
  if (writer == 0) return cut(parts, 0, writers == 1 ? count : border);
  const std::int64_t others = writers - 1;
  const std::int64_t rest = count - border;
  return cut(parts, border + rest * (writer - 1) / others, border + rest * writer / others);
}

std::string bytes_as_file(const FileContent& file) {
  std::string bytes;
  checkpoint::stream_safetensors(file.tensors, file.metadata, [&](std::span<const std::byte> piece) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return bytes;
}

}  // namespace

std::string lost_checkpoint(const SaveResult& result) {
  return fmt::format("trireme: no checkpoint of step {}: {}; the program goes on\n", with_commas(result.step),
                     result.failure->what);
}

// What the leader tells all nodes.
struct StateSaver::Order {
  std::optional<Failure> failure;  // there is no folder
  std::filesystem::path folder;
  std::uint64_t mark = 0;
  bool in_background = true;

  [[nodiscard]] std::string text() const {
    if (failure) return fmt::format("{}{}\n{}", kFailed, failure->what, failure->hint);
    return fmt::format("{} {} {}", mark, in_background ? 1 : 0, folder.string());
  }
  static Order from(const std::string& text) {
    Order order;
    if (text.starts_with(kFailed)) {
      order.failure = failure_from(text);
      return order;
    }
    std::istringstream words(text);
    std::string folder;
    words >> order.mark >> order.in_background;
    words.get();
    std::getline(words, folder, '\0');
    order.folder = folder;
    return order;
  }
};

// Where there is no folder, the run goes on without this checkpoint.
StateSaver::Order StateSaver::give_order(const SaveRequest& request, std::optional<checkpoint::Mark>& mark) {
  Order order;
  order.in_background = request.in_background;
  start_ = Clock::now();
  request_ = request;
  request_.own.clear();
  try {
    saving_ = std::make_unique<checkpoint::Saving>(request.run, request.state.step);
    order.folder = std::filesystem::absolute(saving_->folder());
    order.mark = mark.emplace(order.folder).token();
  } catch (const std::exception& exception) {
    order.failure = failure_of(exception);
    saving_.reset();
    result_ = SaveResult{.step = request.state.step,
                         .folder = checkpoint::step_folder(request.run, request.state.step),
                         .failure = order.failure};
  }
  return order;
}

void StateSaver::save(Rank leader, const SaveRequest* request, const Holdings& holdings) {
  settle();
  wire::Wire& wire = inside_.wire();
  const bool is_leader = wire.rank() == leader;
  Order order;
  std::optional<checkpoint::Mark> mark;
  if (is_leader) order = give_order(*request, mark);
  constexpr const char* kPurpose = "beginning a checkpoint";
  order = Order::from(
      share_texts(wire, is_leader ? order.text() : "", kPurpose, inside_.deadline())[idx(leader)]);
  if (order.failure) return;
  const auto seen = static_cast<std::byte>(checkpoint::sees_mark(order.folder, order.mark));
  std::vector<bool> sees;
  for (const std::byte of_node : wire::share_notes(wire, std::span(&seen, 1), kPurpose, inside_.deadline())) {
    sees.push_back(of_node != std::byte{0});
  }
  mark.reset();
  ++begun_;
  std::vector<FileContent> files = own_part(leader, request, holdings, sees);
  std::vector<RawFile> raw = bring_to_leader(leader, files, sees);
  if (!sees[idx(wire.rank())]) files.clear();
  write(std::move(files), std::move(raw), order);
}

std::vector<FileContent> StateSaver::own_part(Rank leader, const SaveRequest* request,
                                              const Holdings& holdings, const std::vector<bool>& sees) const {
  const Rank rank = inside_.wire().rank();
  const bool is_leader = rank == leader;
  const bool is_worker = rank < workers_;
  std::vector<FileContent> files;
  FileContent weights{.name = checkpoint::kWeightsFile, .tensors = {}};
  for (const NamedTensor& parameter : holdings.parameters) weights.add(parameter);
  const std::uint64_t weight_bytes = weights.bytes();
  if (is_leader) {
    for (const NamedTensor& buffer : holdings.buffers) weights.add(buffer);
    files.push_back(std::move(weights));
    FileContent own{.name = checkpoint::own_file(kOwnFile), .tensors = {}};
    for (const NamedTensor& tensor : request->own) own.add(tensor);
    if (!own.tensors.empty()) files.push_back(std::move(own));
  }
  std::vector<RuleStatePart> parts;
  if (holdings.update.is_shared_out()) {
    parts = holdings.update.state(is_leader);
  } else {
    std::vector<Rank> writers = {leader};
    for (Rank worker = 0; worker < workers_; ++worker) {
      if (worker != leader && sees[idx(worker)]) writers.push_back(worker);
    }
    const auto writer = std::find(writers.begin(), writers.end(), rank);
    if (writer != writers.end()) {
      parts =
          share_of(holdings.update.state(true), weight_bytes, writer - writers.begin(), std::ssize(writers));
    }
  }
  if (!parts.empty()) {
    checkpoint::RuleStateTensors tensors = checkpoint::rule_state_tensors(parts);
    files.push_back({.name = checkpoint::rule_file(rank),
                     .tensors = std::move(tensors.tensors),
                     .metadata = std::move(tensors.metadata)});
  }
  if (is_worker) {
    FileContent random{.name = checkpoint::random_file(rank), .tensors = {}};
    random.add(generator_state());
    if (holdings.own_buffers) {
      for (const NamedTensor& buffer : holdings.buffers)
        random.add({kOwnBuffer + buffer.name, buffer.tensor});
    }
    files.push_back(std::move(random));
  }
  return files;
}

// Nodes that do not see the folder tell all others what they have; only the leader keeps it.
std::vector<StateSaver::RawFile> StateSaver::bring_to_leader(Rank leader,
                                                             const std::vector<FileContent>& files,
                                                             const std::vector<bool>& sees) {
  std::vector<RawFile> received;
  if (std::ranges::all_of(sees, [](bool one) { return one; })) return received;
  wire::Wire& wire = inside_.wire();
  std::vector<std::string> own;
  std::string list;
  if (!sees[idx(wire.rank())]) {
    for (const FileContent& file : files) {
      own.push_back(bytes_as_file(file));
      list += fmt::format("{} {} 0\n", file.name, own.back().size());
    }
  }
  const std::vector<std::string> lists =
      share_texts(wire, list, "bringing state to the folder of a checkpoint", inside_.deadline());
  for (Rank node = 0; node < wire.size(); ++node) {
    std::size_t i = 0;
    for (const FileSum& file : files_of(lists[idx(node)])) {
      torch::Tensor bytes = torch::empty({static_cast<std::int64_t>(file.bytes)}, torch::kUInt8);
      if (node == wire.rank()) std::copy(own[i].begin(), own[i].end(), static_cast<char*>(bytes.data_ptr()));
      ++i;
      take_from(node, inside_, {{file.name, bytes}});
      if (wire.rank() == leader) received.push_back({file.name, std::move(bytes)});
    }
  }
  return received;
}

void StateSaver::write(std::vector<FileContent> files, std::vector<RawFile> raw, const Order& order) {
  // All nodes of this host may copy as much at the same time, and want some memory afterwards.
  const auto nodes = static_cast<std::uint64_t>(inside_.wire().size());
  const bool in_background = order.in_background && bytes_of(files) <= available_memory() / 2 / nodes;
  std::shared_ptr<std::byte[]> memory;
  if (in_background) memory = copy_aside(files);
  auto act = [this, files = std::move(files), raw = std::move(raw), memory = std::move(memory),
              folder = order.folder, number = begun_]() -> std::string {
    std::string told;
    try {
      std::vector<FileSum> sums;
      for (const FileContent& file : files) {
        sums.push_back(checkpoint::write_safetensors(folder / file.name, file.tensors, file.metadata));
      }
      for (const RawFile& file : raw) {
        checkpoint::SummedFile out(folder / file.name);
        out.write(std::span(static_cast<const std::byte*>(file.bytes.data_ptr()), file.bytes.nbytes()));
        sums.push_back(out.finish());
      }
      told = text_of(sums);
    } catch (const std::exception& exception) {
      told = failure_text(exception);
    }
    standing_.written.store(number, std::memory_order_release);
    return told;
  };
  writing_ = std::async(in_background ? std::launch::async : std::launch::deferred, std::move(act));
  if (!in_background) writing_.wait();
}

void StateSaver::look(const rounds::Round& round) {
  if (is_under_way() && round.written >= begun_) conclude();
}

void StateSaver::settle() {
  if (is_under_way()) conclude();
  end_completion();
}

void StateSaver::conclude() {
  const std::vector<std::string> told =
      share_texts(inside_.wire(), writing_.get(), "completing a checkpoint", inside_.deadline());
  ++concluded_;
  if (!saving_) return;
  SaveResult result{.step = request_.state.step,
                    .folder = checkpoint::step_folder(request_.run, request_.state.step)};
  std::vector<FileSum> files;
  for (const std::string& of_node : told) {
    if (of_node.starts_with(kFailed) && !result.failure) result.failure = failure_from(of_node);
    if (of_node.starts_with(kFailed)) continue;
    for (const FileSum& file : files_of(of_node)) {
      result.bytes += file.bytes;
      files.push_back(file);
    }
  }
  auto act = [saving = std::move(saving_), request = std::move(request_), files = std::move(files), result,
              start = start_]() mutable {
    if (!result.failure) {
      try {
        for (FileSum& file : files) saving->add(std::move(file));
        request.state.saved = checkpoint::time_in_utc();
        saving->write_state(request.state);
        saving->write_config(request.config);
        result.folder = saving->finish();
        if (request.keep > 0) checkpoint::prune(request.run, request.state.step, request.keep);
      } catch (const std::exception& exception) {
        result.failure = failure_of(exception);
      }
    }
    saving.reset();  // removes what is not complete
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
  };
  completing_ = std::async(std::launch::async, std::move(act));
}

void StateSaver::end_completion() {
  if (completing_.valid()) result_ = completing_.get();
}

std::optional<SaveResult> StateSaver::take_result() {
  if (completing_.valid() && completing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    end_completion();
  }
  return std::exchange(result_, std::nullopt);
}

}  // namespace trireme::libtorch
