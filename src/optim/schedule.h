// The learning rate as a plain function of the step.
//
// Every schedule begins with `warmup_steps` steps of linear warm-up, in which step t has rate·t/warmup_steps.
// The steps after it follow PyTorch's schedulers, stepped once per update:
//
//   constant   the rate                                                               (ConstantLR, factor 1)
//   step       times gamma after every `every_steps` steps                            (StepLR)
//   cosine     from the rate down to `final_rate` at the end of `total_steps` steps,  (CosineAnnealingLR)
//              warm-up included, along half a wave; `final_rate` ever after
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trireme::optim {

enum class ScheduleKind : std::uint8_t { kConstant, kStep, kCosine };

/// The numbers of a schedule; its kind ignores those that it does not use.
struct ScheduleSpec {
  ScheduleKind kind = ScheduleKind::kConstant;
  std::int64_t warmup_steps = 0;
  std::int64_t every_steps = 0;  ///< step: at least 1
  double gamma = 0.1;            ///< step
  std::int64_t total_steps = 0;  ///< cosine: more than warmup_steps
  double final_rate = 0;         ///< cosine

  bool operator==(const ScheduleSpec&) const = default;
};

/// "constant", "step", "cosine".
[[nodiscard]] std::string_view name(ScheduleKind kind);
[[nodiscard]] std::span<const ScheduleKind> all_schedule_kinds();

/// Throws `Error` that lists the kinds.
[[nodiscard]] ScheduleKind parse_schedule_kind(std::string_view text);

/// Throws `Error` that names the first invalid number and says what is right.
void check(const ScheduleSpec& spec);

/// The learning rate of a step, for a spec that has passed `check`. `rate` is the rate of the rule's spec;
/// the first step is 1. The bits are the same on every processor.
[[nodiscard]] double rate_of_step(const ScheduleSpec& spec, double rate, std::int64_t step);

}  // namespace trireme::optim
