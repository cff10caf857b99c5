#include <trireme/checkpoint.h>

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/system/output.h"
#include "base/text.h"
#include "checkpoint/names.h"
#include "checkpoint/saved.h"
#include "libtorch/exchange_access.h"
#include "libtorch/stored_tensors.h"

namespace trireme {
namespace {

torch::Tensor bytes_of(const torch::optim::Optimizer& optimizer) {
  torch::serialize::OutputArchive archive;
  optimizer.save(archive);
  std::ostringstream out;
  archive.save_to(out);
  const std::string bytes = out.str();
  torch::Tensor tensor = torch::empty({static_cast<std::int64_t>(bytes.size())}, torch::kUInt8);
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(tensor.data_ptr()));
  return tensor;
}

void set_bytes_of(torch::optim::Optimizer& optimizer, const std::vector<std::byte>& bytes) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  torch::serialize::InputArchive archive;
  archive.load_from(in);
  optimizer.load(archive);
}

// The place of a sampler, which says it by the archive of libtorch's samplers.
constexpr const char* kPlace[] = {"epoch", "batch", "taken"};

std::vector<double> place_of(const ShardedSampler& sampler) {
  torch::serialize::OutputArchive out;
  sampler.save(out);
  std::stringstream stream;
  out.save_to(stream);
  torch::serialize::InputArchive in;
  in.load_from(stream);
  std::vector<double> place;
  for (const char* name : kPlace) {
    torch::Tensor number;
    in.read(name, number, true);
    place.push_back(number.item<double>());
  }
  return place;
}

void set_place_of(ShardedSampler& sampler, const std::vector<double>& place) {
  torch::serialize::OutputArchive out;
  for (std::size_t i = 0; i < place.size(); ++i) {
    out.write(kPlace[i], torch::full({}, static_cast<std::int64_t>(place[i]), torch::kInt64), true);
  }
  std::stringstream stream;
  out.save_to(stream);
  torch::serialize::InputArchive in;
  in.load_from(stream);
  sampler.load(in);
}

double number_in(const checkpoint::Saved& saved, const std::string& name) {
  const auto found = saved.state().numbers.find(name);
  if (found != saved.state().numbers.end()) return found->second;
  throw bad_input(fmt::format("{} has no number '{}'", printable(saved.folder().string()), printable(name)),
                  "add to the Checkpoint what it had when it was saved");
}

const checkpoint::StoredTensor& tensor_in(const checkpoint::Saved& saved,
                                          const checkpoint::SafetensorsFile* own, const std::string& name) {
  const checkpoint::StoredTensor* found = own == nullptr ? nullptr : own->find(name);
  if (found != nullptr) return *found;
  throw bad_input(fmt::format("{} has no '{}'", printable(saved.folder().string()), printable(name)),
                  "add to the Checkpoint what it had when it was saved");
}

}  // namespace

struct Checkpoint::Impl {
  // Both ends of a thing that is kept.
  struct Kept {
    std::function<void(libtorch::SaveRequest&)> save;
    std::function<void(const checkpoint::Saved&, const checkpoint::SafetensorsFile*)> load;
  };

  Impl(Exchange& exchange, std::string run) : rounds(ExchangeAccess::rounds(exchange)), run(std::move(run)) {}

  void require_new(const std::string& name) {
    if (name.empty()) throw bad_input("a thing that a checkpoint keeps needs a name");
    if (std::ranges::find(names, name) != names.end()) {
      throw bad_input(fmt::format("the checkpoint keeps two things named '{}'", printable(name)),
                      "give each a name of its own");
    }
    names.push_back(name);
  }
  // "optimizer", "optimizer-2", …
  std::string next_name(const std::string& kind) {
    std::string name = kind;
    for (int i = 2; std::ranges::find(names, name) != names.end(); ++i) name = fmt::format("{}-{}", kind, i);
    names.push_back(name);
    return name;
  }
  template <typename Number>
  void add_number(const std::string& name, Number& number) {
    require_new(name);
    kept.push_back({[name, &number](libtorch::SaveRequest& request) {
                      request.state.numbers[name] = static_cast<double>(number);
                    },
                    [name, &number](const checkpoint::Saved& saved, const checkpoint::SafetensorsFile*) {
                      number = static_cast<Number>(number_in(saved, name));
                    }});
  }
  void tell_of_failure() {
    const std::optional<libtorch::SaveResult> last = rounds.take_saved();
    if (last && last->failure) write_error(libtorch::lost_checkpoint(*last));
  }

  libtorch::Rounds& rounds;
  const std::string run;
  std::int64_t keep = 2;
  std::vector<Kept> kept;
  std::vector<std::string> names;
};

Checkpoint::Checkpoint(Exchange& exchange, std::string run)
    : impl_(std::make_unique<Impl>(exchange, std::move(run))) {}
Checkpoint::~Checkpoint() = default;

Checkpoint& Checkpoint::add(torch::optim::Optimizer& optimizer) {
  const std::string name = impl_->next_name("optimizer");
  impl_->kept.push_back(
      {[name, &optimizer](libtorch::SaveRequest& request) {
         request.own.push_back({name, bytes_of(optimizer)});
       },
       [name, &optimizer](const checkpoint::Saved& saved, const checkpoint::SafetensorsFile* own) {
         set_bytes_of(optimizer, own->read(tensor_in(saved, own, name)));
       }});
  return *this;
}

// The samples that all workers together have had in the epoch stay behind them, however many workers there
// are.
Checkpoint& Checkpoint::add(ShardedSampler& sampler) {
  const std::string name = impl_->next_name("sampler");
  libtorch::Rounds& rounds = impl_->rounds;
  impl_->kept.push_back(
      {[name, &sampler](libtorch::SaveRequest& request) {
         const std::vector<double> place = place_of(sampler);
         for (std::size_t i = 0; i < place.size(); ++i) {
           request.state.numbers[name + "." + kPlace[i]] = place[i];
         }
       },
       [name, &sampler, &rounds](const checkpoint::Saved& saved, const checkpoint::SafetensorsFile*) {
         std::vector<double> place;
         for (const char* part : kPlace) place.push_back(number_in(saved, name + "." + part));
         const auto before = static_cast<double>(saved.state().workers);
         place.back() = std::floor(place.back() * before / static_cast<double>(rounds.workers().size()));
         set_place_of(sampler, place);
       }});
  return *this;
}

Checkpoint& Checkpoint::add(const std::string& name, torch::Tensor& tensor) {
  impl_->require_new(name);
  impl_->kept.push_back(
      {[name, &tensor](libtorch::SaveRequest& request) {
         request.own.push_back({name, tensor});
       },
       [name, &tensor](const checkpoint::Saved& saved, const checkpoint::SafetensorsFile* own) {
         const checkpoint::StoredTensor& stored = tensor_in(saved, own, name);
         const std::vector<libtorch::NamedTensor> one = {{name, tensor}};
         const std::string difference =
             checkpoint::first_difference(libtorch::infos_of(one), std::span(&stored, 1));
         if (!difference.empty()) {
           throw bad_input(fmt::format("{}: {}", printable(saved.folder().string()), difference),
                           "give a tensor like the one that was saved");
         }
         libtorch::read_into(one, *own);
       }});
  return *this;
}

Checkpoint& Checkpoint::add(const std::string& name, double& number) {
  impl_->add_number(name, number);
  return *this;
}
Checkpoint& Checkpoint::add(const std::string& name, std::int64_t& number) {
  impl_->add_number(name, number);
  return *this;
}
Checkpoint& Checkpoint::add(const std::string& name, int& number) {
  impl_->add_number(name, number);
  return *this;
}

void Checkpoint::keep(std::int64_t count) {
  if (count < 0) throw bad_input(fmt::format("{} checkpoints: the number must not be negative", count));
  impl_->keep = count;
}

void Checkpoint::save(std::int64_t step) {
  if (step < 0) throw bad_input(fmt::format("step {}: the number must not be negative", step));
  libtorch::SaveRequest request;
  request.run = impl_->run;
  request.state.step = step;
  request.keep = impl_->keep;
  for (const Impl::Kept& one : impl_->kept) one.save(request);
  impl_->tell_of_failure();
  impl_->rounds.save(std::move(request));
  impl_->tell_of_failure();
}

void Checkpoint::wait() {
  impl_->rounds.settle();
  const std::optional<libtorch::SaveResult> last = impl_->rounds.take_saved();
  if (last && last->failure) throw Error(*last->failure);
}

std::int64_t Checkpoint::load() {
  const std::optional<checkpoint::Saved> saved =
      impl_->rounds.load({.folder = impl_->run, .may_be_new = true});
  if (!saved) return 0;
  std::optional<checkpoint::SafetensorsFile> own;
  if (saved->has(checkpoint::own_file(libtorch::kOwnFile)))
    own.emplace(saved->open_file(checkpoint::own_file(libtorch::kOwnFile)));
  for (const Impl::Kept& one : impl_->kept) one.load(*saved, own ? &*own : nullptr);
  return saved->step();
}

}  // namespace trireme
