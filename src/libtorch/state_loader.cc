#include "libtorch/state_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "checkpoint/done.h"
#include "checkpoint/names.h"
#include "checkpoint/rule_state.h"
#include "libtorch/generator_state.h"
#include "libtorch/node_texts.h"

namespace trireme::libtorch {
namespace {

constexpr const char* kPurpose = "beginning to load a checkpoint";

// What a node sees there: the list of its files, by which nodes know that they see the same one.
std::string list_of(const checkpoint::Saved& saved) {
  return fmt::format("={}", checkpoint::to_text(saved.files()));
}

// "?WHAT\nHINT": the first character tells it from a list.
std::string refusal_text(const std::exception& exception) {
  const Failure failure = failure_of(exception);
  return fmt::format("?{}\n{}", failure.what, failure.hint);
}

Error refusal_from(const std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return bad_input(text.substr(1, end - 1), end < text.size() ? text.substr(end + 1) : "");
}

std::vector<NamedTensor> with(const std::vector<NamedTensor>& parameters,
                              const std::vector<NamedTensor>& buffers) {
  std::vector<NamedTensor> all = parameters;
  all.insert(all.end(), buffers.begin(), buffers.end());
  return all;
}

bool is_new(const std::filesystem::path& run) {
  const std::vector<checkpoint::Listed> listed = checkpoint::list_checkpoints(run);
  return std::ranges::none_of(listed, &checkpoint::Listed::is_complete);
}

void take_random_state(const checkpoint::Saved& saved, Rank rank, const StateSaver::Holdings& holdings) {
  const std::string name = checkpoint::random_file(rank);
  if (!saved.has(name)) return;
  const checkpoint::SafetensorsFile file = saved.open_file(name);
  if (const checkpoint::StoredTensor* stored = file.find(generator_state().name)) {
    torch::Tensor bytes = torch::empty({static_cast<std::int64_t>(stored->bytes)}, torch::kUInt8);
    file.read(*stored, 0, {static_cast<std::byte*>(bytes.data_ptr()), bytes.nbytes()});
    set_generator_state(bytes);
  }
  if (!holdings.own_buffers) return;
  const torch::NoGradGuard no_grad;
  for (const NamedTensor& buffer : holdings.buffers) {
    const checkpoint::StoredTensor* stored = file.find(kOwnBuffer + buffer.name);
    const PlainTensor plain(buffer.tensor);
    if (stored == nullptr || stored->bytes != plain.bytes().size()) continue;
    file.read(*stored, 0, plain.bytes());
    plain.give_back();
  }
}

}  // namespace

std::optional<checkpoint::Saved> load(WorldAccess::Inside& inside, Rank leader, Rank workers,
                                      const LoadRequest* request, const StateSaver::Holdings& holdings) {
  wire::Wire& wire = inside.wire();
  const bool is_leader = wire.rank() == leader;
  const std::vector<NamedTensor> tensors = with(holdings.parameters, holdings.buffers);
  std::optional<checkpoint::Saved> saved;
  std::string told;
  if (is_leader) {
    try {
      if (!request->may_be_new || !is_new(request->folder)) {
        saved.emplace(checkpoint::Saved::open(request->folder));
        if (request->verify) saved->require_whole();
        require_same_tensors(tensors, saved->open_file(checkpoint::kWeightsFile));
        told = std::filesystem::absolute(saved->folder()).string();
      }
    } catch (const std::exception& exception) {
      told = refusal_text(exception);
    }
  }
  const std::string order = share_texts(wire, told, kPurpose, inside.deadline())[idx(leader)];
  if (order.empty()) return std::nullopt;
  if (order.starts_with('?')) throw refusal_from(order);
  try {
    if (!saved) saved.emplace(checkpoint::Saved::open(order));
    told = list_of(*saved);
  } catch (const std::exception& exception) {
    told = refusal_text(exception);
  }
  const std::vector<std::string> lists = share_texts(wire, told, kPurpose, inside.deadline());
  for (std::size_t node = 0; node < lists.size(); ++node) {
    if (lists[node] == lists[idx(leader)]) continue;
    throw bad_input(fmt::format("rank {} does not see {} as rank {} does",
                                wire.members().job_rank(static_cast<Rank>(node)), printable(order),
                                wire.members().job_rank(leader)),
                    "copy it there under the same name, or take a folder that all hosts share");
  }
  if (is_leader) read_into(tensors, saved->open_file(checkpoint::kWeightsFile));
  take_from(leader, inside, tensors);
  std::vector<checkpoint::SafetensorsFile> rules;
  for (const std::string& name : saved->files_of("rule-")) rules.push_back(saved->open_file(name));
  holdings.update.start_from(std::make_shared<checkpoint::RuleStateReader>(std::move(rules)));
  if (wire.rank() < workers) take_random_state(*saved, wire.rank(), holdings);
  return saved;
}

}  // namespace trireme::libtorch
