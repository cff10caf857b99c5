#include "optim/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cassert>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "optim/steady_math.h"

namespace trireme::optim {
namespace {

constexpr std::array<ScheduleKind, 3> kScheduleKinds = {ScheduleKind::kConstant, ScheduleKind::kStep,
                                                        ScheduleKind::kCosine};

void check_step(const ScheduleSpec& spec) {
  if (spec.every_steps < 1) {
    throw bad_input(fmt::format("the learning rate is to change every {} steps", spec.every_steps),
                    "a step schedule needs a number of steps that is at least 1");
  }
  if (!std::isfinite(spec.gamma) || spec.gamma <= 0) {
    throw bad_input(fmt::format("gamma is {}", spec.gamma), "it must be a positive number");
  }
}

void check_cosine(const ScheduleSpec& spec) {
  if (spec.total_steps <= spec.warmup_steps) {
    throw bad_input(fmt::format("a cosine schedule of {} has a warm-up of {}",
                                counted(spec.total_steps, "step"), counted(spec.warmup_steps, "step")),
                    "the warm-up is a part of the total, and at least one step must follow it");
  }
  if (!std::isfinite(spec.final_rate) || spec.final_rate < 0) {
    throw bad_input(fmt::format("the final learning rate is {}", spec.final_rate),
                    "it must be a number that is not negative");
  }
}

double cosine_rate(const ScheduleSpec& spec, double rate, std::int64_t done) {
  const std::int64_t steps = spec.total_steps - spec.warmup_steps;
  if (done >= steps) return spec.final_rate;
  const double way = static_cast<double>(done) / static_cast<double>(steps);
  return spec.final_rate + (rate - spec.final_rate) * ((1 + cosine_of_pi_times(way)) / 2);
}

}  // namespace

std::string_view name(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::kConstant:
      return "constant";
    case ScheduleKind::kStep:
      return "step";
    case ScheduleKind::kCosine:
      return "cosine";
  }
  return "";
}

std::span<const ScheduleKind> all_schedule_kinds() { return kScheduleKinds; }

ScheduleKind parse_schedule_kind(std::string_view text) {
  std::vector<std::string_view> known;
  for (const ScheduleKind kind : kScheduleKinds) {
    if (name(kind) == text) return kind;
    known.push_back(name(kind));
  }
  throw bad_input(fmt::format("unknown schedule '{}'", printable(text)),
                  fmt::format("give one of {}", fmt::join(known, ", ")));
}

void check(const ScheduleSpec& spec) {
  if (spec.warmup_steps < 0) {
    throw bad_input(fmt::format("the warm-up has {} steps", spec.warmup_steps), "it must have 0 or more");
  }
  if (spec.kind == ScheduleKind::kStep) check_step(spec);
  if (spec.kind == ScheduleKind::kCosine) check_cosine(spec);
}

double rate_of_step(const ScheduleSpec& spec, double rate, std::int64_t step) {
  assert(step >= 1);
  if (step < spec.warmup_steps) {
    return rate * static_cast<double>(step) / static_cast<double>(spec.warmup_steps);
  }
  if (step == spec.warmup_steps) return rate;
  const std::int64_t done = step - 1 - spec.warmup_steps;
  switch (spec.kind) {
    case ScheduleKind::kConstant:
      return rate;
    case ScheduleKind::kStep:
      return rate * integer_power(spec.gamma, done / spec.every_steps);
    case ScheduleKind::kCosine:
      return cosine_rate(spec, rate, done);
  }
  return rate;
}

}  // namespace trireme::optim
