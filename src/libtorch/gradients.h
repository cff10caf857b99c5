// The gradients of a module in buckets, each of them memory that an exchange works on in place.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libtorch/module_tensors.h"
#include "rounds/bucket_layout.h"
#include "rounds/parameter_flags.h"

namespace trireme::libtorch {

/// The buckets for the gradients of these parameters, all of which are trained; see `rounds::lay_out`. Throws
/// `Error` for numbers that are not exchanged.
[[nodiscard]] std::vector<rounds::BucketLayout> lay_out(std::span<const NamedTensor> parameters,
                                                        std::size_t bucket_bytes);

/// Throws `Error` that names the parameter if it is of another type now.
void require_type(const NamedTensor& parameter, torch::ScalarType type);

/// After its first exchange, `.grad` of a parameter is a tensor over its place in a bucket. Parameters on
/// other devices, and those whose memory has another order, have their gradients copied there and back.
class Gradients {
 public:
  struct Bucket {
    rounds::BucketLayout layout;
    std::shared_ptr<void> owner;
    std::span<std::byte> bytes;
  };

  /// Has no buckets at first.
  Gradients(WorldAccess::Inside& inside, std::vector<NamedTensor> parameters, std::size_t bucket_bytes);
  /// Gradients that are still there have memory of their own afterwards.
  ~Gradients();
  Gradients(const Gradients&) = delete;
  Gradients& operator=(const Gradients&) = delete;

  /// *Together*, between exchanges: those of the parameters that have no place get one, in more buckets.
  /// Throws as `lay_out` does.
  void place(const rounds::ParameterFlags& parameters);

  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }
  /// All of the module, in the order of registration.
  [[nodiscard]] const std::vector<NamedTensor>& parameters() const { return parameters_; }
  /// Which of them require a gradient at this moment.
  [[nodiscard]] rounds::ParameterFlags requiring() const;
  /// Which bucket a parameter's gradient lies in, if it has a place.
  [[nodiscard]] std::size_t bucket_of(std::size_t parameter) const { return places_[parameter].bucket; }

  /// Call it before an exchange: puts the gradients of trained parameters into their bucket. A gradient that
  /// is not there counts as zero; so do the zeros that a step has left, as long as nobody writes there.
  /// Throws `Error` for a parameter whose type has changed.
  void take_in(std::size_t bucket, const rounds::ParameterFlags& trained);
  /// Turns means over so many samples into sums over them.
  void weigh(std::size_t bucket, std::int64_t samples);
  /// The parameters for which `take_in` found a gradient the last time.
  [[nodiscard]] const rounds::ParameterFlags& found() const { return found_; }
  /// Call it after an exchange: gives these parameters the gradients in the buckets, where a step has left
  /// zeros.
  void give_back(const rounds::ParameterFlags& parameters, bool after_step);

 private:
  struct Place {
    std::size_t bucket = 0;
    torch::Tensor view;        // of the bucket; undefined: there is no place
    torch::Tensor zeros;       // `.grad` as a step has left it
    std::int64_t version = 0;  // of the zeros: changes when somebody writes there
  };

  [[nodiscard]] bool is_as_a_step_left_it(std::size_t parameter) const;

  WorldAccess::Inside& inside_;
  const std::vector<NamedTensor> parameters_;
  const std::size_t bucket_bytes_;
  std::vector<Bucket> buckets_;
  std::vector<Place> places_;  // by parameter
  rounds::ParameterFlags found_;
};

}  // namespace trireme::libtorch
