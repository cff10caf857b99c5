// The state of update rules in a checkpoint: which elements of which parameter it is for is in the name of
// each tensor, so that any other division among workers or servers can be filled from it.
//
// A holder's file rule-R.safetensors has for each part of a parameter that it holds
//
//   a tensor "PARAMETER/STATE[FIRST:END]" for each state, F32, of shape [END − FIRST]
//   in __metadata__: "PARAMETER[FIRST:END]" → the number of steps that the part has been updated in
//
// as in "fc1.weight/exp_avg[0:1568]". The second is there for rules without state, too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors_file.h"
#include "checkpoint/summed_file.h"

namespace trireme::checkpoint {

struct RuleStateValues {
  std::string state;  ///< "exp_avg"
  std::span<const float> values;
};

/// The elements [first, first + count) of a parameter, flat.
struct RuleStatePart {
  std::string parameter;
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t steps = 0;                 ///< that it has been updated in
  std::vector<RuleStateValues> states{};  ///< of `count` values each
};

/// As tensors, whose bytes are those of the parts; for `stream_safetensors` and `write_safetensors`.
struct RuleStateTensors {
  std::vector<TensorView> tensors;
  Metadata metadata;
};
[[nodiscard]] RuleStateTensors rule_state_tensors(std::span<const RuleStatePart> parts);

/// All holders' files of a checkpoint as one.
class RuleStateReader {
 public:
  /// Throws `Error` (bad input) when a name or a type is not as above, or two files hold the same element.
  explicit RuleStateReader(std::vector<SafetensorsFile> files);

  /// Those of which something was saved, sorted by name.
  [[nodiscard]] std::vector<std::string> parameters() const;
  /// The states that the parameter has, sorted by name; none for rules without state.
  [[nodiscard]] std::vector<std::string> states(std::string_view parameter) const;

  /// The steps that elements [first, first + count) have been updated in: where parts differ, as with
  /// asynchronous servers, the most of them, with which no rule divides by too little; 0 if nothing was saved
  /// of them.
  [[nodiscard]] std::int64_t steps(std::string_view parameter, std::int64_t first, std::int64_t count) const;

  /// Fills in elements [first, first + values.size()) as far as they were saved, and leaves the others as
  /// they are. Returns how many were filled in.
  std::int64_t read(std::string_view parameter, std::string_view state, std::int64_t first,
                    std::span<float> values) const;

 private:
  struct Part {
    std::int64_t first = 0;
    std::int64_t end = 0;
    std::int64_t steps = 0;  // of `steps_` alone
    const SafetensorsFile* file = nullptr;
    const StoredTensor* tensor = nullptr;  // of `states_` alone
  };
  using Parts = std::vector<Part>;  // sorted, disjoint

  void add_steps(const SafetensorsFile& file, const std::string& key, std::string_view value);
  void add_state(const SafetensorsFile& file, const StoredTensor& tensor);
  static void sort_disjoint(const std::string& parameter, Parts& parts);

  std::vector<std::unique_ptr<SafetensorsFile>> files_;
  std::map<std::string, Parts, std::less<>> steps_;  // by parameter
  std::map<std::string, std::map<std::string, Parts, std::less<>>, std::less<>>
      states_;  // by parameter, state
};

}  // namespace trireme::checkpoint
