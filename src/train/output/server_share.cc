#include "train/output/server_share.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "plan/share.h"

namespace trireme::train {
namespace {

std::int64_t most_elements(const std::vector<ServerShare>& shares) {
  return std::ranges::max_element(shares, {}, &ServerShare::elements)->elements;
}

}  // namespace

std::vector<ServerShare> shares_of(std::span<const plan::PlanSpec> plans,
                                   std::span<const rounds::BucketLayout> buckets,
                                   const std::vector<std::string>& names, Rank workers) {
  std::vector<ServerShare> shares;
  if (plans.empty() || plans[0].servers == 0) return shares;
  for (std::int32_t j = 0; j < plans[0].servers; ++j) {
    ServerShare& server = shares.emplace_back(ServerShare{.rank = workers + j});
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const plan::Slice slice = plan::share(plans[i], j);
      server.elements += slice.count;
      for (const rounds::GradientPlace& place : buckets[i].places) {
        const std::int64_t first = std::max(place.first, slice.first);
        const std::int64_t end = std::min(place.first + place.count, slice.end());
        if (first >= end) continue;
        const bool is_whole = end - first == place.count;
        server.variables.push_back(is_whole ? names[place.gradient]
                                            : fmt::format("{}[{}:{}]", names[place.gradient],
                                                          first - place.first, end - place.first));
      }
    }
  }
  return shares;
}

std::vector<std::string> lines_of(const std::vector<ServerShare>& shares) {
  std::vector<std::string> lines;
  for (std::size_t j = 0; j < shares.size(); ++j) {
    const ServerShare& share = shares[j];
    const bool is_busiest = shares.size() > 1 && share.elements == most_elements(shares);
    lines.push_back(
        fmt::format("server S{} (rank {}) holds {} of {}{}", j + 1, share.rank, bytes_in_words(share.bytes()),
                    counted(std::ssize(share.variables), "variable"), is_busiest ? ", the most" : ""));
  }
  return lines;
}

report::Json to_json(const std::vector<ServerShare>& shares) {
  report::Json json = report::Json::array();
  for (std::size_t j = 0; j < shares.size(); ++j) {
    json.push_back({{"share", j},
                    {"server", fmt::format("S{}", j + 1)},
                    {"rank", shares[j].rank},
                    {"variables", shares[j].variables},
                    {"bytes", shares[j].bytes()},
                    {"busiest", shares[j].elements == most_elements(shares)}});
  }
  return json;
}

}  // namespace trireme::train
