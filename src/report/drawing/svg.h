// What drawings in SVG have in common: the page, texts, and lines that also colour-blind people can tell
// apart.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trireme::report {

/// The beginning of a drawing: a white page with small letters without serifs. It ends with "</svg>\n".
[[nodiscard]] std::string svg_page(double width, double height);

/// A text, escaped, at its baseline.
[[nodiscard]] std::string svg_text(double x, double y, std::string_view text,
                                   const std::string& attributes = "");

/// Escapes user input for use between tags.
[[nodiscard]] std::string svg_escaped(std::string_view text);

/// Each line has a colour and a shape. There are eight of each; later lines have other pairs.
[[nodiscard]] const char* line_colour(std::size_t line);
[[nodiscard]] std::string line_shape(std::size_t line, double x, double y, double size = 1);

}  // namespace trireme::report
