// Command lines as text: the one that is ssh, and the one that ssh hands to a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trireme::launch::ssh {

/// "ssh  -p 2222" → {"ssh", "-p", "2222"}: cut at spaces, and nothing more.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);

/// A word that a shell reads back as it is.
[[nodiscard]] std::string shell_quoted(std::string_view word);

}  // namespace trireme::launch::ssh
