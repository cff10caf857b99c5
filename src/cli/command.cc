#include "cli/command.h"

#include "base/error.h"

namespace trireme::cli {

void refuse_empty(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_items_expected_max() == 0 || option->get_positional()) continue;
    if (!option->results().front().empty()) continue;
    throw bad_input(option->get_name() + " is empty", "give a value or leave it out");
  }
}

}  // namespace trireme::cli
