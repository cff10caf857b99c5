#include "train/model_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/types.h"
#include "optim/reach.h"
#include "rounds/parameter_groups.h"

namespace trireme::train {
namespace {

rounds::ParameterGroups grouped(const TrainConfig& config, std::span<const ModelTensor> tensors) {
  std::vector<std::string> names;
  for (const ModelTensor& tensor : tensors) names.push_back(tensor.name);
  return rounds::ParameterGroups(groups_of(config), names);
}

std::string matrices(std::int64_t count) {
  return count == 1 ? "1 matrix" : fmt::format("{} matrices", with_commas(count));
}

// "muon updates 3 matrices, and adamw 3 other parameters, at 0.015 times the rate": where a rule that is
// chosen stands for two.
void say_split(const RuleSpec& rule, std::span<const ModelTensor> tensors, std::span<const RuleSpec> rules,
               std::vector<std::string>& lines) {
  std::int64_t of_rule = 0;
  std::int64_t of_other = 0;
  RuleSpec other;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (rules[i].kind != rule.kind) continue;
    const RuleSpec applied = optim::rule_for(rules[i], optim::shape_of(tensors[i].sizes));
    ++(applied.kind == rule.kind ? of_rule : of_other);
    if (applied.kind != rule.kind) other = applied;
  }
  if (of_other == 0) return;
  std::string line = fmt::format("{} updates {}, and {} {}", name(rule), matrices(of_rule), name(other),
                                 counted(of_other, "other parameter"));
  if (uses(rule.kind, &RuleSpec::vector_rate))
    line += fmt::format(", at {} times the rate", rule.vector_rate);
  lines.push_back(std::move(line));
}

std::string in_words(const TrainConfig::Group& group, std::int64_t matching, std::int64_t holding) {
  std::string line = fmt::format("group \"{}\": {}", printable(group.match), counted(holding, "parameter"));
  if (holding < matching) line += fmt::format(" of {}, the others are in later groups", matching);
  if (group.rule) line += fmt::format(", by {}", name(*group.rule));
  if (group.rate || group.rule)
    line += fmt::format(", rate {}", group.rate.value_or(group.rule ? group.rule->rate : 0));
  if (group.weight_decay) line += fmt::format(", weight decay {}", *group.weight_decay);
  return line;
}

}  // namespace

std::vector<RuleSpec> rules_of(const TrainConfig& config, std::span<const ModelTensor> tensors) {
  const rounds::ParameterGroups groups = grouped(config, tensors);
  std::vector<RuleSpec> rules;
  for (std::size_t i = 0; i < tensors.size(); ++i) rules.push_back(groups.rule_of(i, config.optimizer));
  return rules;
}

std::int64_t measured_tensors(const TrainConfig& config, std::span<const ModelTensor> tensors) {
  const std::vector<RuleSpec> rules = rules_of(config, tensors);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    count += optim::reach(rules[i], optim::shape_of(tensors[i].sizes)) == optim::Reach::kModel ? 1 : 0;
  }
  return count;
}

std::vector<std::string> say_rules(const TrainConfig& config, std::span<const ModelTensor> tensors) {
  const std::vector<RuleSpec> rules = rules_of(config, tensors);
  std::vector<std::string> lines;
  std::vector<RuleKind> said;
  for (const RuleSpec& rule : rules) {
    if (std::ranges::find(said, rule.kind) != said.end()) continue;
    said.push_back(rule.kind);
    say_split(rule, tensors, rules, lines);
  }
  const rounds::ParameterGroups groups = grouped(config, tensors);
  for (std::size_t g = 0; g < config.groups.size(); ++g) {
    std::int64_t matching = 0;
    std::int64_t holding = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      matching += rounds::matches(config.groups[g].match, tensors[i].name) ? 1 : 0;
      holding += groups.group_of(i) == static_cast<std::int64_t>(g) ? 1 : 0;
    }
    lines.push_back(in_words(config.groups[g], matching, holding));
  }
  return lines;
}

}  // namespace trireme::train
