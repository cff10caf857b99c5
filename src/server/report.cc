#include "server/report.h"

#include <fmt/format.h>

#include <sstream>

#include "base/error.h"

namespace trireme::server {

Report& Report::operator+=(const Report& other) {
  for (const auto& [staleness_of, count] : other.staleness.histogram)
    staleness.histogram[staleness_of] += count;
  dropped += other.dropped;
  duplicates += other.duplicates;
  writes += other.writes;
  return *this;
}

std::string to_text(const Report& report) {
  std::string text =
      fmt::format("{} {} {}", report.dropped, report.duplicates, report.staleness.histogram.size());
  for (const auto& [staleness, count] : report.staleness.histogram) {
    text += fmt::format(" {} {}", staleness, count);
  }
  return text + '\n' + report.writes;
}

Report read_report(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) throw bad_input("this is no report of a server");
  std::istringstream numbers{std::string(text.substr(0, end))};
  Report report;
  std::size_t bars = 0;
  numbers >> report.dropped >> report.duplicates >> bars;
  for (std::size_t i = 0; i < bars && numbers; ++i) {
    std::int64_t staleness = 0;
    numbers >> staleness >> report.staleness.histogram[staleness];
  }
  if (!numbers) throw bad_input("the report of a server is cut off");
  if (!(numbers >> std::ws).eof()) throw bad_input("the report of a server has more numbers than it says");
  report.writes = text.substr(end + 1);
  return report;
}

Report report_of(Ledger& ledger) {
  Report report;
  report.staleness = ledger.stale();
  report.dropped = ledger.dropped();
  report.duplicates = ledger.duplicates();
  for (const schedule::Write& write : ledger.take_writes()) report.writes += schedule::line(write);
  return report;
}

}  // namespace trireme::server
