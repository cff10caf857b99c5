#include "report/optim_report.h"

namespace trireme::report {

std::optional<optim::LeastNorm> least_norm_of(const DescentReport& report, const optim::Descent& descent) {
  return descent.has_converged ? optim::promised(report.system, descent.rule) : std::nullopt;
}

Json to_json(const DescentReport& report) {
  Json rules = Json::array();
  for (const optim::Descent& descent : report.descents) {
    const std::vector<double>& theta = descent.end().theta;
    Json norms;
    for (const auto kind :
         {optim::VectorNorm::Kind::kL1, optim::VectorNorm::Kind::kL2, optim::VectorNorm::Kind::kLinf}) {
      norms[optim::name_of(optim::VectorNorm{kind})] = optim::length({kind}, theta);
    }
    const std::optional<optim::LeastNorm> least = least_norm_of(report, descent);
    rules.push_back({{"rule", optim::name_of(descent.rule)},
                     {"theta", theta},
                     {"steps", descent.end().step},
                     {"residual", descent.end().residual},
                     {"norms", std::move(norms)},
                     {"least_norm_of", least ? Json(optim::name_of(*least)) : Json(nullptr)}});
  }
  return {{"rules", std::move(rules)}};
}

Json to_json(const UpdatesReport& report) {
  Json updates = Json::array();
  for (const UpdatesReport::Row& row : report.rows) {
    updates.push_back({{"norm", optim::name_of(row.norm)},
                       {"update", row.steepest.update},
                       {"dual_norm", row.steepest.dual_norm},
                       {"objective", row.steepest.objective}});
  }
  return {{"updates", std::move(updates)}};
}

}  // namespace trireme::report
