// The gradients of a module in buckets, each of them memory that an exchange works on in place.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "server/bucket_layout.h"
#include "train/module_tensors.h"

namespace trireme {

/// `.grad` of every parameter that requires one is a tensor over its place in a bucket, on the CPU;
/// parameters on other devices are copied there and back.
class Gradients {
 public:
  struct Bucket {
    BucketLayout layout;
    std::shared_ptr<void> owner;
    std::span<std::byte> bytes;
  };

  /// *Together.* Takes in what gradients there are. Throws `Error` for numbers that are not exchanged.
  Gradients(WorldAccess::Inside& inside, const std::vector<NamedTensor>& parameters,
            std::size_t bucket_bytes);
  /// Leaves the parameters without gradients: these end with the buckets.
  ~Gradients();
  Gradients(const Gradients&) = delete;
  Gradients& operator=(const Gradients&) = delete;

  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }
  /// Of the parameters that require a gradient, in the order of registration.
  [[nodiscard]] const std::vector<NamedTensor>& parameters() const { return parameters_; }

  /// Before an exchange: all gradients of a bucket are in it; one that is not there counts as zero.
  void take_in(std::size_t bucket);
  /// After it: every parameter has the gradient that is in the buckets.
  void give_back();
  /// Which bucket a parameter's gradient lies in.
  [[nodiscard]] std::size_t bucket_of(std::size_t parameter) const { return bucket_of_[parameter]; }

 private:
  std::vector<NamedTensor> parameters_;
  std::vector<Bucket> buckets_;
  std::vector<torch::Tensor> views_;  // of the place in the bucket, by parameter
  std::vector<std::size_t> bucket_of_;
};

}  // namespace trireme
