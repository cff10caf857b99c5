#include "plan/op.h"

namespace trireme::plan {

const char* name(Action action) {
  switch (action) {
    case Action::kAdd:
      return "add";
    case Action::kCopy:
      return "copy";
    case Action::kKeep:
      return "keep";
    case Action::kUpdate:
      return "update";
  }
  return "?";
}

}  // namespace trireme::plan
