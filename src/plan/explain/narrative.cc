#include "plan/explain/narrative.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "plan/holdings.h"

namespace trireme::plan {
namespace {

// A message is represented by its receiving end. A node that sees only its own program uses sending ends too.
Event event_of(const Program& program, const Op& op) {
  Event event;
  event.from = op.kind == OpKind::kReceive ? op.peer : program.node;
  event.to = op.kind == OpKind::kSend ? op.peer : program.node;
  event.op = &op;
  if (op.kind == OpKind::kFold) {
    event.sources = std::span(program.sources).subspan(idx(op.room), idx(op.source_count));
  }
  return event;
}

void put_in_order(std::vector<Event>& events) {
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.op->step, a.is_fold(), a.from, a.to) <
           std::tuple(b.op->step, b.is_fold(), b.from, b.to);
  });
}

std::vector<Event> all_events(const Plan& plan) {
  std::vector<Event> events;
  for (const Program& program : plan.programs) {
    for (const Op& op : program.ops) {
      if (op.kind != OpKind::kSend) events.push_back(event_of(program, op));
    }
  }
  put_in_order(events);
  return events;
}

// Runs the events on numbers, step by step. No slice is written in the step in which it is sent, so messages
// can be processed one after another.
class Calculation {
 public:
  Calculation(const Plan& plan, const Values& values, const SgdUpdate* update)
      : plan_(plan), update_(update) {
    for (const Program& program : plan.programs) {
      buffers_.emplace_back(idx(plan.spec.elements()));
      rooms_.emplace_back(idx(program.room_elements));
      if (!plan.spec.is_server(program.node)) bring(program.node, values[idx(program.node)]);
    }
  }

  void run(Event& event) {
    event.before = read(buffers_[idx(event.to)], event.op->slice);
    if (event.is_fold()) {
      fold(event);
    } else {
      receive(event);
    }
  }

  [[nodiscard]] Values results() {
    Values results(idx(plan_.spec.workers));
    for (Rank worker = 0; worker < plan_.spec.workers; ++worker) {
      const std::vector<double> buffer = std::exchange(buffers_[idx(worker)], {});
      std::vector<double>& held = results[idx(worker)];
      for (const Slice& slice : holdings(plan_.spec, worker).after) {
        held.insert(held.end(), buffer.begin() + slice.first, buffer.begin() + slice.end());
      }
    }
    return results;
  }

 private:
  void bring(Rank worker, const std::vector<double>& values) {
    auto next = values.begin();
    for (const Slice& slice : holdings(plan_.spec, worker).before) {
      std::copy_n(next, slice.count, buffers_[idx(worker)].begin() + slice.first);
      next += slice.count;
    }
  }

  static std::vector<double> read(const std::vector<double>& memory, const Slice& slice) {
    return {memory.begin() + slice.first, memory.begin() + slice.end()};
  }

  void receive(Event& event) {
    const Op& op = *event.op;
    event.sent = read(buffers_[idx(event.from)], op.slice);
    event.after = event.sent;
    if (goes_to_room(op.action)) {
      std::copy(event.sent.begin(), event.sent.end(), rooms_[idx(event.to)].begin() + op.room);
      return;
    }
    if (op.action == Action::kAdd) {
      for (std::size_t i = 0; i < event.after.size(); ++i) event.after[i] = event.before[i] + event.sent[i];
    }
    std::copy(event.after.begin(), event.after.end(), buffers_[idx(event.to)].begin() + op.slice.first);
  }

  void fold(Event& event) {
    const Op& op = *event.op;
    event.after.resize(idx(op.slice.count));
    for (std::size_t i = 0; i < event.after.size(); ++i) {
      const std::int64_t element = op.slice.first + static_cast<std::int64_t>(i);
      const std::size_t start =
          op.by_chunk ? idx(chunk_of(element, plan_.spec.parameters, plan_.spec.workers)) : 0;
      for (std::size_t k = 0; k < event.sources.size(); ++k) {
        const Source& source = event.sources[(start + k) % event.sources.size()];
        const double summand =
            source.room == Source::kOwn ? event.before[i] : rooms_[idx(event.to)][idx(source.room) + i];
        event.after[i] = k == 0 ? summand : event.after[i] + summand;
        if (op.slice.count == 1) event.sent.push_back(summand);
      }
    }
    if (update_ != nullptr && op.action == Action::kUpdate) update(event);
    std::copy(event.after.begin(), event.after.end(), buffers_[idx(event.to)].begin() + op.slice.first);
  }

  void update(Event& event) const {
    event.sums = event.after;
    event.rate = update_->rate;
    event.before = read(update_->weights, event.op->slice);
    for (std::size_t i = 0; i < event.after.size(); ++i) {
      event.after[i] = event.before[i] - event.rate * (event.sums[i] / plan_.spec.workers);
    }
  }

  const Plan& plan_;
  const SgdUpdate* update_;
  Values buffers_;
  std::vector<std::vector<double>> rooms_;
};

}  // namespace

Narrative narrate(const Plan& plan, const Values* values, std::optional<Rank> node, const SgdUpdate* update) {
  const auto concerns = [&](const Event& event) { return !node || event.from == *node || event.to == *node; };
  Narrative story;
  story.events = all_events(plan);
  if (values != nullptr) {
    Calculation calculation(plan, *values, update);
    for (Event& event : story.events) calculation.run(event);
    story.results = calculation.results();
  }
  std::erase_if(story.events, [&](const Event& event) { return !concerns(event); });
  return story;
}

Values calculate(const Plan& plan, const Values& values, const SgdUpdate* update) {
  Calculation calculation(plan, values, update);
  std::vector<Event> events = all_events(plan);
  for (Event& event : events) {
    calculation.run(event);
    event = {};  // its numbers are no longer needed
  }
  return calculation.results();
}

Narrative narrate(const Program& program) {
  Narrative story;
  story.events.reserve(program.ops.size());
  for (const Op& op : program.ops) story.events.push_back(event_of(program, op));
  put_in_order(story.events);
  return story;
}

}  // namespace trireme::plan
