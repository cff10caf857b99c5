#include "plan/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "plan/explain/words.h"

namespace trireme::plan {
namespace {

constexpr std::size_t kMostListed = 8;  // names or numbers in one line

template <typename Items, typename Say>
std::string listed(const Items& items, std::string_view separator, Say say) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += separator;
    if (items.size() > kMostListed && i == kMostListed - 2) {
      text += "…";
      text += separator;
      i = items.size() - 1;
    }
    text += say(items[i]);
  }
  return text;
}

std::string sum_in_words(const std::vector<double>& summands, const std::vector<double>& result) {
  const auto say = [](double number) { return fmt::format("{}", number); };
  return listed(summands, " + ", say) + " = " + numbers_in_words(result);
}

// The workers that a fold adds up, in order of addition; if the order differs between chunks, the rule.
std::string order_of_fold(const PlanSpec& spec, const Event& event, const NodeNames& names) {
  std::vector<Rank> ranks;
  for (const Source& source : event.sources) ranks.push_back(source.rank);
  const auto say = [&](Rank rank) { return names.of(rank); };
  const Slice& slice = event.op->slice;
  const std::int64_t first = event.op->by_chunk ? chunk_of(slice.first, spec.parameters, spec.workers) : 0;
  if (event.op->by_chunk && slice.end() > chunk(first, spec.parameters, spec.workers).end()) {
    return fmt::format("in the ring order {}, chunk k beginning at position k", listed(ranks, ", ", say));
  }
  std::rotate(ranks.begin(), ranks.begin() + first, ranks.end());
  return "in the order " + listed(ranks, ", ", say);
}

// Updates by the average, as in training.
std::string update_in_words(const PlanSpec& spec, const Event& event) {
  std::vector<double> averages = event.sums;
  for (double& sum : averages) sum /= spec.workers;
  return fmt::format(", and updates the weights by {}: {} − {} · {} = {}",
                     spec.workers == 1 ? "it" : "the average", numbers_in_words(event.before), event.rate,
                     numbers_in_words(averages), numbers_in_words(event.after));
}

std::string say_fold(const PlanSpec& spec, const Event& event, const NodeNames& names) {
  const std::string what = describe(spec, event.op->slice);
  std::string text =
      event.sources.size() == 1
          ? fmt::format("{} has {} from {} alone", names.of(event.to), what, names.of(event.sources[0].rank))
          : fmt::format("{} adds up {}, {}", names.of(event.to), what, order_of_fold(spec, event, names));
  if (event.after.empty()) {
    return event.op->action == Action::kUpdate ? text + ", and applies the update rule" : text;
  }
  const bool updates = !event.sums.empty();
  const std::vector<double>& sums = updates ? event.sums : event.after;
  text += ": " + (event.sent.size() > 1 ? sum_in_words(event.sent, sums) : numbers_in_words(sums));
  return updates ? text + update_in_words(spec, event) : text;
}

std::string say_message(const PlanSpec& spec, const Event& event, const NodeNames& names) {
  const Op& op = *event.op;
  const std::string what = describe(spec, op.slice);
  const std::string_view it = what.starts_with("chunks") || what.starts_with("elements") ? "them" : "it";
  std::string text = fmt::format("{} sends {} to {}, which ", names.of(event.from), what, names.of(event.to));
  switch (op.action) {
    case Action::kAdd:
      text += fmt::format("adds {}", it);
      break;
    case Action::kCopy:
      text += fmt::format("copies {}", it);
      break;
    case Action::kKeep:
      text += fmt::format("puts {} aside", it);
      break;
    case Action::kUpdate:
      text += fmt::format("puts {} aside for its update", it);
      break;
  }
  if (event.after.empty()) return text;
  if (op.action != Action::kAdd) return text + ": " + numbers_in_words(event.after);
  return fmt::format("{}: {} + {} = {}", text, numbers_in_words(event.sent), numbers_in_words(event.before),
                     numbers_in_words(event.after));
}

std::string left_out(std::int64_t steps, std::int64_t sentences, bool in_a_step, std::string_view how) {
  const std::string what = steps == 0  ? "the rest of this step"
                           : in_a_step ? "the rest of this step and " + counted(steps, "more step")
                                       : counted(steps, "more step");
  return fmt::format("\n… {} ({}) left out;\n{}\n", what, counted(sentences, "line"), how);
}

}  // namespace

std::string numbers_in_words(const std::vector<double>& numbers) {
  const auto say = [](double number) { return fmt::format("{}", number); };
  return numbers.size() == 1 ? say(numbers[0]) : "[" + listed(numbers, ", ", say) + "]";
}

std::string sentence(const PlanSpec& spec, const Event& event, const NodeNames& names) {
  return event.is_fold() ? say_fold(spec, event, names) : say_message(spec, event, names);
}

std::string explain(const PlanSpec& spec, const std::vector<Event>& events, const NodeNames& names,
                    std::int64_t steps, std::size_t most_sentences, std::string_view how_to_see_more) {
  std::string text;
  std::int32_t step = -1;
  const std::int32_t last_step = events.empty() ? 0 : events.back().op->step;
  std::size_t told = 0;
  for (; told < events.size() && told < most_sentences; ++told) {
    const Event& event = events[told];
    if (event.op->step != step) {
      if (step >= 0) text += '\n';
      step = event.op->step;
      fmt::format_to(std::back_inserter(text), "step {} of {}: {}\n", with_commas(step + 1),
                     with_commas(steps), phase(spec, step));
    }
    text += "  " + sentence(spec, event, names) + '\n';
  }
  if (told < events.size()) {
    text += left_out(last_step - step, static_cast<std::int64_t>(events.size() - told),
                     events[told].op->step == step, how_to_see_more);
  }
  return text;
}

}  // namespace trireme::plan
