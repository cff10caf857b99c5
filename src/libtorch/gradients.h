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

/// From its first exchange on `.grad` of a parameter is a tensor over its place in a bucket. Where that is
/// not possible, on other devices and for parameters whose memory has another order, it is copied there and
/// back.
class Gradients {
 public:
  struct Bucket {
    rounds::BucketLayout layout;
    std::shared_ptr<void> owner;
    std::span<std::byte> bytes;
  };

  /// Without buckets at first.
  Gradients(WorldAccess::Inside& inside, std::vector<NamedTensor> parameters, std::size_t bucket_bytes);
  /// Gradients that are still there have memory of their own afterwards.
  ~Gradients();
  Gradients(const Gradients&) = delete;
  Gradients& operator=(const Gradients&) = delete;

  /// *Together*, between exchanges: those of the parameters that have no place get one, in more buckets.
  /// Throws `Error` for numbers that are not exchanged.
  void place(const rounds::ParameterFlags& parameters);

  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }
  /// All of the module, in the order of registration.
  [[nodiscard]] const std::vector<NamedTensor>& parameters() const { return parameters_; }
  /// Which of them require a gradient at this moment.
  [[nodiscard]] rounds::ParameterFlags requiring() const;
  /// Which bucket a parameter's gradient lies in, if it has a place.
  [[nodiscard]] std::size_t bucket_of(std::size_t parameter) const { return places_[parameter].bucket; }

  /// Before an exchange: the gradients of a bucket's parameters that are trained are in it. One that is not
  /// there counts as zero; so do the zeros that a step has left, as long as nobody writes there. Throws
  /// `Error` for a parameter that is of another type than before.
  void take_in(std::size_t bucket, const rounds::ParameterFlags& trained);
  /// Makes means over so many samples sums over them.
  void weigh(std::size_t bucket, std::int64_t samples);
  /// For which parameters `take_in` found a gradient the last time.
  [[nodiscard]] const rounds::ParameterFlags& found() const { return found_; }
  /// After it: these parameters have the gradient that is in the buckets; a step has left zeros there.
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
