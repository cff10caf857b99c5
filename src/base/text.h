// Text functions that output and error messages share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trireme {

/// 1234567 → "1,234,567".
[[nodiscard]] std::string with_commas(std::int64_t number);

/// "1 message", "24 messages", "1,998,000 messages".
[[nodiscard]] std::string counted(std::int64_t number, std::string_view noun);

/// "96 bytes", "100 MB", "1.23 GB": SI units, at most three digits.
[[nodiscard]] std::string bytes_in_words(std::int64_t bytes);
/// The same in the unit of the largest, for a column of a table: "0.0042 MB".
[[nodiscard]] std::string bytes_in_words(std::int64_t bytes, std::int64_t largest);

/// The number without its leading '+', which std::from_chars does not accept; "+-4" is returned unchanged and
/// is not a number.
[[nodiscard]] std::string_view without_plus(std::string_view number);

/// "1.5e6" → "1500000", "25e-3" → "0.025", with all digits; a number without exponent is returned unchanged.
[[nodiscard]] std::string without_exponent(std::string_view number);

/// Parses a whole number from the command line; 25,000,000, 25_000_000 and 25e6 are accepted too. Throws
/// `Error` that names the flag and says what is right.
[[nodiscard]] std::int64_t parse_integer(std::string_view text, std::string_view flag, std::int64_t min,
                                         std::int64_t max);

/// The finite number that is the whole text, such as 17, +0.5 or -1e-3; empty if the text is anything else.
[[nodiscard]] std::optional<double> finite_number(std::string_view text);

/// The known word nearest to the typed one, ignoring case, or an empty text when none is near.
[[nodiscard]] std::string_view nearest(std::string_view typed, std::span<const std::string_view> known);

/// The same text without spaces and tabs around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// "a,b,,c" → {"a", "b", "", "c"}, without spaces around the parts.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// The text with a '?' for each control character and for each byte that is not UTF-8, so that it is safe to
/// show.
[[nodiscard]] std::string printable(std::string_view text);

/// The number of terminal columns that a UTF-8 text takes, counting one for each code point.
[[nodiscard]] std::size_t width(std::string_view text);

}  // namespace trireme
