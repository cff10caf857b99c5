// The inside of an Exchange, for Trireme's own parts.
#pragma once

#include <trireme/torch.h>

#include "libtorch/rounds.h"

namespace trireme {
inline namespace TRIREME_ABI {

struct ExchangeAccess {
  [[nodiscard]] static libtorch::Rounds& rounds(Exchange& exchange);
};

}  // namespace TRIREME_ABI
}  // namespace trireme
