// What a server tells of the updates that it has made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/ledger.h"

namespace trireme::server {

struct Report {
  Staleness staleness{};
  std::int64_t dropped = 0;
  std::int64_t duplicates = 0;
  std::string writes{};  ///< lines of a schedule's file, since the last report

  Report& operator+=(const Report& other);
};

/// For another node of the same job.
[[nodiscard]] std::string to_text(const Report& report);
/// Throws `Error` where the text is no report.
[[nodiscard]] Report read_report(std::string_view text);

/// Of what the server has done so far; the writes are taken.
[[nodiscard]] Report report_of(Ledger& ledger);

}  // namespace trireme::server
