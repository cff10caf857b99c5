// Names of the files and folders of checkpoints: RUN/checkpoints/step-N/…
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace trireme::checkpoint {

inline constexpr const char* kFolder = "checkpoints";
inline constexpr const char* kConfigFile = "config.toml";
inline constexpr const char* kStateFile = "state.json";
inline constexpr const char* kWeightsFile = "weights.safetensors";
inline constexpr const char* kDoneFile = "DONE";
inline constexpr std::string_view kSavingEnd = ".saving";

/// "rule-3.safetensors": the state of update rules that the node of this number holds. The same for the
/// states of random generators ("random-3…") and what a server has of its own ("server-3…").
[[nodiscard]] std::string rule_file(std::int64_t holder);
[[nodiscard]] std::string random_file(std::int64_t rank);
[[nodiscard]] std::string server_file(std::int64_t server);
/// "own-NAME.safetensors": tensors that a user's program keeps. Throws `Error` (bad input) unless the name is
/// 1 to 64 letters, digits, '-', '_' and '.'.
[[nodiscard]] std::string own_file(std::string_view name);

/// Whether DONE may list it: 1 to 100 letters, digits, '-', '_' and '.', not beginning with '.', and not DONE
/// itself.
[[nodiscard]] bool is_file_name(std::string_view name);

/// "step-1200"
[[nodiscard]] std::string step_name(std::int64_t step);
/// The step of such a name, in exactly that form.
[[nodiscard]] std::optional<std::int64_t> step_of(std::string_view name);

/// RUN/checkpoints/step-N and, while it is written, RUN/checkpoints/.step-N.saving.
[[nodiscard]] std::filesystem::path step_folder(const std::filesystem::path& run, std::int64_t step);
[[nodiscard]] std::filesystem::path saving_folder(const std::filesystem::path& run, std::int64_t step);
/// Whether it is the name of such a folder, or of another that is on its way into or out of the list of
/// checkpoints.
[[nodiscard]] bool is_saving_name(std::string_view name);

}  // namespace trireme::checkpoint
