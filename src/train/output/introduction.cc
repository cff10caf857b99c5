#include "train/output/introduction.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace trireme::train {
namespace {

std::string world_line(const Introduction& introduction) {
  std::string who = counted(introduction.workers, "worker");
  if (introduction.servers > 0) who += " and " + counted(introduction.servers, "server");
  return fmt::format("{}: {}", who, introduction.connection);
}

void add_strategy(const Introduction& introduction, std::vector<std::string>& lines) {
  if (introduction.strategy == "none") {
    lines.emplace_back("strategy none: each worker trains by itself; no gradients are exchanged");
  } else if (introduction.workers + introduction.servers == 1) {
    lines.emplace_back("one worker alone exchanges nothing");
  } else if (introduction.plan.choices.empty()) {
    lines.push_back(fmt::format("strategy {}, as asked for", introduction.strategy));
  }
  if (introduction.workers == 1 || introduction.strategy == "none") return;
  for (const std::string& why : introduction.plan.choices) lines.push_back("auto takes " + why);
}

std::string plan_line(const Introduction& introduction) {
  const StepPlan& plan = introduction.plan;
  // With several buckets it is measured in the first steps, and said then.
  const bool is_after_backward =
      plan.buckets.size() == 1 && introduction.workers > 1 && introduction.strategy != "none";
  if (introduction.mode != plan::Mode{}) {
    return fmt::format("{}: {} and {} per update", counted(introduction.parameters, "parameter"),
                       counted(plan.messages, "message"), bytes_in_words(plan.bytes));
  }
  return fmt::format("{} in {}{}: {} and {} per step", counted(introduction.parameters, "parameter"),
                     counted(std::ssize(plan.buckets), "bucket"),
                     is_after_backward ? ", exchanged after backward" : "", counted(plan.messages, "message"),
                     bytes_in_words(plan.bytes));
}

// What a mode means for the run.
void add_mode(const Introduction& introduction, std::vector<std::string>& lines) {
  const plan::Mode& mode = introduction.mode;
  if (mode == plan::Mode{}) return;
  std::string words = "mode " + to_string(mode) + ": ";
  switch (mode.kind) {
    case plan::Mode::Kind::kSync:
      break;
    case plan::Mode::Kind::kAsync:
      words += "a gradient is applied when it comes, and nobody waits for others";
      break;
    case plan::Mode::Kind::kSsp:
      words += fmt::format("a gradient is applied when it comes; who is {} ahead of the slowest waits",
                           counted(mode.number + 1, "step"));
      break;
    case plan::Mode::Kind::kBackup:
      words += fmt::format("each step takes the first {} of {} gradients and drops the others",
                           introduction.workers - mode.number, introduction.workers);
      break;
  }
  lines.push_back(std::move(words));
  if (mode.kind == plan::Mode::Kind::kBackup) return;
  const std::string& rate = introduction.staleness_rate;
  lines.push_back(rate == "none"
                      ? "learning rates are not divided (exchange.staleness_rate)"
                      : fmt::format("learning rates are divided by the {} (exchange.staleness_rate)",
                                    rate == "workers" ? "number of workers" : "staleness of each gradient"));
}

std::string compute_line(const Introduction& introduction) {
  std::string line = counted(introduction.threads, "thread") + " per worker, BLAS: ";
  if (!introduction.blas) return line + "the one inside libtorch";
  line += introduction.blas->name;
  if (introduction.blas->fast) return line;
  return line + ", many times slower than others; try apt-get install libopenblas0-openmp";
}

// What people would not expect of the cores.
void add_cores(const Introduction& introduction, std::vector<std::string>& lines) {
  if (introduction.cores == 0) return;
  const std::string cores = counted(introduction.cores, "core");
  if (introduction.nodes_here > introduction.cores) {
    lines.push_back(fmt::format("{} share {} and take turns: more workers than cores train no faster",
                                counted(introduction.nodes_here, "node"), cores));
  } else if (!introduction.threads_are_chosen && introduction.threads > 1) {
    const bool is_alone = introduction.nodes_here <= 1;
    lines.push_back(
        fmt::format("train.threads is 0: {} all {}; give a number to leave some to other programs",
                    is_alone ? "the worker takes" : "workers share", cores));
  }
}

}  // namespace

std::vector<std::string> lines_of(const Introduction& introduction) {
  std::vector<std::string> lines = {world_line(introduction)};
  add_strategy(introduction, lines);
  add_mode(introduction, lines);
  lines.push_back(plan_line(introduction));
  for (std::string& line : lines_of(introduction.placement)) lines.push_back(std::move(line));
  lines.insert(lines.end(), introduction.rules.begin(), introduction.rules.end());
  lines.push_back(compute_line(introduction));
  add_cores(introduction, lines);
  return lines;
}

}  // namespace trireme::train
