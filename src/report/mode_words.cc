#include "report/mode_words.h"

#include <fmt/format.h>

#include "base/text.h"

namespace trireme::report {
namespace {

std::string waiting_in_words(const plan::Mode& mode, std::int32_t workers) {
  switch (mode.kind) {
    case plan::Mode::Kind::kSync:
      return "all workers wait for each other in each round\n";
    case plan::Mode::Kind::kAsync:
      return "no worker waits for another: an update is applied when it arrives, and its worker\n"
             "goes on with the newest weights\n";
    case plan::Mode::Kind::kSsp:
      return fmt::format(
          "an update is applied when it arrives; it is answered, with the newest weights, when\n"
          "its worker is at most {} ahead of the slowest\n",
          counted(mode.number, "update"));
    case plan::Mode::Kind::kBackup:
      return fmt::format(
          "a round takes the first {} of {} and drops the {};\n"
          "then all are answered, with the weights of the round\n",
          with_commas(workers - mode.number), counted(workers, "gradient"),
          mode.number == 1 ? "late one" : fmt::format("{} late ones", with_commas(mode.number)));
  }
  return "";
}

}  // namespace

std::string mode_words(const plan::Mode& mode, std::int32_t workers, std::int64_t messages) {
  const bool has_rounds = mode.kind == plan::Mode::Kind::kBackup;
  return waiting_in_words(mode, workers) +
         fmt::format(
             "{} does this {}, with {} each time;\n",
             workers == 1 ? "the worker" : fmt::format("each of the {} workers", with_commas(workers)),
             has_rounds ? "in each round" : "by itself", counted(messages, "message")) +
         "in a run each message also has a note of 64 bytes or more: its sequence number,\n"
         "versions of the weights, and which mini-batch comes next\n";
}

}  // namespace trireme::report
