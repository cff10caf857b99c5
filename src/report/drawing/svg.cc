#include "report/drawing/svg.h"

#include <fmt/format.h>

#include <iterator>

namespace trireme::report {
namespace {

constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#b87f00", "#3a9bd0", "#000000", "#88882d"};
constexpr const char* kShapes[] = {
    "M-4-4H4V4H-4Z",       // square
    "M0-5L5 4H-5Z",        // triangle
    "M0-6L6 0L0 6L-6 0Z",  // diamond
    "M0 5L5-4H-5Z",        // triangle, down
    "M-5 0H5M0-5V5",       // plus
    "M-4-4L4 4M-4 4L4-4",  // cross
    "M-5 3H5V-3H-5Z",      // bar
    "M-5-5V5L5 0Z",        // triangle, to the right
};

}  // namespace

std::string svg_page(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
}

std::string svg_escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return safe;
}

std::string svg_text(double x, double y, std::string_view text, const std::string& attributes) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, svg_escaped(text));
}

const char* line_colour(std::size_t line) { return kColours[line % std::size(kColours)]; }

std::string line_shape(std::size_t line, double x, double y, double size) {
  const std::string scale = size == 1 ? "" : fmt::format(" scale({:.2g})", size);
  return fmt::format(
      "<path d=\"{}\" transform=\"translate({:.1f} {:.1f}){}\" fill=\"{}\" stroke=\"{}\" "
      "stroke-width=\"2\"/>\n",
      kShapes[(line + line / std::size(kShapes)) % std::size(kShapes)], x, y, scale, "white",
      line_colour(line));
}

}  // namespace trireme::report
