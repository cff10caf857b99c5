// `trireme checkpoint`: looks into checkpoints, and verifies them.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/system/output.h"
#include "base/text.h"
#include "checkpoint/saved.h"
#include "cli/checkpoint/checkpoint_report.h"
#include "cli/command.h"
#include "cli/progress_line.h"
#include "report/exchange_report.h"

namespace trireme::cli {
namespace {

constexpr const char* kExamples = R"(
DIR is the folder of a run or one checkpoint of it, such as
runs/first/checkpoints/step-1200.

show lists the checkpoints of a run, newest first, or says what is in one: where
the training stood, its files, its weights. verify reads every byte and compares
it with what was saved; the exit status is 1 if something is damaged or missing.
docs/formats/checkpoint.md describes the files.

Examples:
  trireme checkpoint show runs/first
  trireme checkpoint show runs/first/checkpoints/step-1200
  trireme checkpoint verify runs/first
  trireme checkpoint verify runs/first --json
)";

constexpr std::string_view kShow = "show";
constexpr std::string_view kVerify = "verify";

struct Flags {
  std::string action;
  std::string folder;
  bool json = false;
};

template <typename Report>
void print(const Report& report, bool json) {
  write_output(json ? report::document_text(to_json(report)) : to_text(report));
}

void show(const checkpoint::Found& found, bool json) {
  if (found.is_run) {
    print(rows_of(found.checkpoints), json);
  } else {
    print(checkpoint::Saved::open(found.checkpoints.front().folder), json);
  }
}

bool verify(const checkpoint::Found& found, bool json) {
  std::vector<CheckpointVerdict> verdicts;
  {
    ProgressLine progress("checkpoint verify");
    verdicts = verify_all(found.checkpoints, [&](double part) { progress(part); });
  }
  print(verdicts, json);
  return are_whole(verdicts);
}

bool run(const Flags& flags) {
  if (flags.action != kShow && flags.action != kVerify) {
    const std::vector<std::string_view> known{kShow, kVerify};
    const std::string_view near = nearest(flags.action, known);
    throw bad_input(fmt::format("unknown action '{}'", printable(flags.action)),
                    near.empty() ? "give show or verify" : fmt::format("did you mean {}?", near));
  }
  if (flags.folder.empty()) throw bad_input("DIR is empty", "give the folder of a run, or of one checkpoint");
  const checkpoint::Found found = checkpoint::find_checkpoints(flags.folder);
  if (flags.action == kVerify) return verify(found, flags.json);
  show(found, flags.json);
  return true;
}

}  // namespace

void add_checkpoint(CLI::App& program) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("checkpoint", "Show what is in checkpoints, and verify them");
  command->add_option("ACTION", flags->action, "show or verify")->type_name("")->required();
  command->add_option("DIR", flags->folder, "folder of a run, or of one checkpoint")
      ->type_name("")
      ->required();
  command->add_flag("--json", flags->json, "one JSON document instead of text")->disable_flag_override();
  command->footer(kExamples);
  command->callback([flags] {
    if (!run(*flags)) std::exit(kExitFailed);
  });
}

}  // namespace trireme::cli
