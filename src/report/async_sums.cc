#include "report/async_sums.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/text.h"

namespace trireme::report {

std::string sum_words(std::int64_t updates, const std::function<std::int64_t(std::int64_t)>& read) {
  constexpr std::int64_t kAll = 6;
  constexpr std::int64_t kFirst = 4;  // shown of a longer sum
  const auto term = [&](std::int64_t k) { return fmt::format("∇f{}(x{})", k + 1, read(k)); };
  if (updates == 0) return "x0";
  std::string sum = term(0);
  for (std::int64_t k = 1; k < (updates <= kAll ? updates : kFirst); ++k) sum += " + " + term(k);
  if (updates > kAll) sum += " + … + " + term(updates - 1);
  return fmt::format("x0 − η({})", sum);
}

std::string bound_words(const std::vector<sim::SimUpdate>& updates, std::int64_t sequential,
                        std::int64_t bound_eta_delta) {
  const std::int64_t unpaired = std::abs(std::ssize(updates) - sequential);
  const std::int64_t different = (bound_eta_delta - unpaired) / 2;
  std::string text =
      fmt::format("the weights differ from those of one core by at most {}ηΔ", bound_eta_delta);
  if (different > 0) {
    text += fmt::format(": {} of gradients at different weights count{} 2ηΔ{}", counted(different, "pair"),
                        different == 1 ? "s" : "", different == 1 ? "" : " each");
  }
  if (unpaired > 0) {
    text += fmt::format("{} {} without a counterpart{} ηΔ{}", different > 0 ? "," : ":",
                        counted(unpaired, "gradient"), different > 0 ? "" : " count",
                        unpaired == 1 ? "" : " each");
  }
  return text +
         fmt::format(
             "\n  x_async = {}\n  x_seq   = {}\n"
             "  xk: the weights of each run after its k-th update; fk: the loss on mini-batch k\n",
             sum_words(std::ssize(updates), [&](std::int64_t k) { return updates[idx(k)].read_version; }),
             sum_words(sequential, [](std::int64_t k) { return k; }));
}

}  // namespace trireme::report
