#include "report/optim_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include "base/text.h"

namespace trireme::report {
namespace {

using testing::HasSubstr;
using testing::Not;

optim::LinearSystem one_equation(std::vector<double> coefficients) {
  return optim::LinearSystem({{std::move(coefficients), 1}});
}

DescentReport report_of(const optim::LinearSystem& system, const std::vector<const char*>& rules,
                        std::optional<double> rate = {}) {
  DescentReport report{system, optim::solve(system), {}};
  for (const char* rule : rules) {
    report.descents.push_back(
        optim::descend(system, report.solutions, optim::parse_descent_rule(rule), rate));
  }
  return report;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(OptimReport, WritesEquationsAsPeopleDo) {
  EXPECT_EQ(equation_words({{1, 0.1, 0.01}, 1}), "θ1 + 0.1·θ2 + 0.01·θ3 = 1");
  EXPECT_EQ(equation_words({{-1, 0, -2.5, 1}, -3}), "−θ1 − 2.5·θ3 + θ4 = -3");
  EXPECT_EQ(equation_words({std::vector<double>(7, 2.0), 0}),
            "2·θ1 + 2·θ2 + 2·θ3 + 2·θ4 + 2·θ5 + 2·θ6 + … = 0");
}

TEST(OptimReport, ComparesEachEndWithTheSolvedLeastNorm) {
  const optim::LinearSystem system = one_equation({1, 1});
  const std::string text = to_text(report_of(system, {"sgd", "steepest:l1"}));
  EXPECT_THAT(
      text, testing::StartsWith("1 equation, 2 unknowns, many solutions\n"
                                "  θ1 + θ2 = 1\n"
                                "\n"
                                "rule             rate  steps  residual  l1        l2  linf  has the least\n"
                                "sgd             0.125     39   1.8e-12   1  0.707107   0.5  l2\n"
                                "steepest:l1       0.5     39   1.8e-12   1         1     1  l1\n"
                                "least possible                           1  0.707107   0.5\n"
                                "\n"
                                "sgd: the least l2 norm of all solutions, 0.707107\n"
                                "  solved: 0.707107 at (0.5, 0.5); the largest difference is <1e-12\n"
                                "  step     residual        θ1        θ2\n"
                                "     0            1         0         0\n"
                                "     1          0.5      0.25      0.25\n"));
  EXPECT_THAT(text, testing::EndsWith("    39      1.8e-12         1   0\n"));
}

TEST(OptimReport, SaysWhatIsNotPromised) {
  const optim::LinearSystem one = one_equation({1, 2});
  EXPECT_THAT(to_text(report_of(one, {"adam"})), HasSubstr("\nadam: no norm is promised to be least here\n"));
  const DescentReport slow = report_of(one, {"sgd"}, 1e-9);
  EXPECT_THAT(to_text(slow), HasSubstr("\nsgd: has not converged after 1,000,000 steps\n"));
  EXPECT_THAT(to_text(slow), HasSubstr("  (not converged)\n"));
  EXPECT_TRUE(to_json(slow).at("rules").at(0).at("least_norm_of").is_null());
}

TEST(OptimReport, LeavesOutWhatCannotBeSolvedFor) {
  const optim::LinearSystem two({{{1, 0, 1}, 1}, {{0, 1, 1}, 2}});
  const std::string text = to_text(report_of(two, {"sgd", "signsgd"}));
  EXPECT_THAT(text, HasSubstr("2 equations, 3 unknowns, many solutions\n"));
  EXPECT_THAT(text, HasSubstr("at (0, 1, 1);"));  // with 0 for a rounding error
  EXPECT_THAT(text, HasSubstr("least possible"));
  EXPECT_THAT(text, HasSubstr("–  1.41421       –\n"));
}

TEST(OptimReport, ShortensWideTables) {
  const std::string text = to_text(report_of(one_equation(std::vector<double>(20, 1.0)), {"sgd"}));
  EXPECT_THAT(text, HasSubstr("θ6  …\n"));
  EXPECT_THAT(text, Not(HasSubstr("θ7")));
}

TEST(OptimReport, IsJson) {
  const optim::LinearSystem system = one_equation({3, 4});
  const Json json = to_json(report_of(system, {"steepest:linf", "adam"}));
  const Json& first = json.at("rules").at(0);
  EXPECT_EQ(first.at("rule"), "steepest:linf");
  EXPECT_NEAR(first.at("theta").at(1), 1 / 7.0, 1e-9);
  EXPECT_GT(first.at("steps"), 1);
  EXPECT_NEAR(first.at("residual"), 0, 1e-11);
  EXPECT_NEAR(first.at("norms").at("l1"), 2 / 7.0, 1e-9);
  EXPECT_NEAR(first.at("norms").at("l2"), std::sqrt(2) / 7, 1e-9);
  EXPECT_NEAR(first.at("norms").at("linf"), 1 / 7.0, 1e-9);
  EXPECT_EQ(first.at("least_norm_of"), "linf");
  EXPECT_TRUE(json.at("rules").at(1).at("least_norm_of").is_null());
}

TEST(OptimReport, HasTheUpdatesOfAGradient) {
  UpdatesReport report{.alpha = 2, .gradient = {3, -4}, .rows = {}};
  const optim::VectorNorm norm{optim::VectorNorm::Kind::kL2};
  report.rows.push_back({norm, optim::steepest_update(norm, report.gradient, report.alpha)});
  EXPECT_EQ(to_text(report),
            "least gᵀΔθ + (1/α)·‖Δθ‖² for g = (3, -4), α = 2\n"
            "\n"
            "norm  dual norm of g  objective  Δθ1  Δθ2\n"
            "l2                 5      -12.5   -3    4\n");
  EXPECT_EQ(to_json(report).dump(),
            R"({"updates":[{"norm":"l2","update":[-3.0,4.0],"dual_norm":5.0,"objective":-12.5}]})");
}

TEST(OptimReport, IsAPictureOfTheSolutionsThePathsAndTheNorms) {
  const optim::LinearSystem system = one_equation({1, 0.5});
  const std::string svg = to_svg(report_of(system, {"sgd", "epoch-adam", "rescaled-sgd"}));
  EXPECT_THAT(svg, testing::StartsWith("<svg "));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_EQ(count_of(svg, "<polyline"), 6U);  // three paths, and the curves of three norms
  for (const char* words :
       {">θ1<", ">θ2<", ">all solutions<", ">rescaled-sgd<", ">sgd: least l2<", ">epoch-adam: least linf<",
        ">ends at (0.8, 0.4)<", "θ1 + 0.5·θ2 = 1; every path begins at 0"}) {
    EXPECT_THAT(svg, HasSubstr(words));
  }
}

// Each path under another is wider, and all have their names at the common end.
TEST(OptimReport, IsAPictureInWhichPathsThatCoincideAreSeen) {
  const optim::LinearSystem system = one_equation({1, 0.5});
  const std::string svg = to_svg(report_of(system, {"sgd", "momentum", "epoch-adam"}));
  EXPECT_EQ(count_of(svg, "stroke-width=\"6\""), 1U);
  EXPECT_EQ(count_of(svg, "stroke-width=\"2.5\""), 2U);
  EXPECT_THAT(svg, HasSubstr(">sgd, momentum<"));
}

TEST(OptimReport, IsAPictureOfTheFirstTwoUnknowns) {
  const optim::LinearSystem system = one_equation({1, 0.1, 0.01});
  const std::string svg = to_svg(report_of(system, {"sgd", "rescaled-sgd"}));
  EXPECT_THAT(svg, HasSubstr("the first 2 of 3 unknowns"));
  EXPECT_THAT(svg, HasSubstr(">solutions in which the other unknowns are 0<"));
  EXPECT_EQ(count_of(svg, "<polyline"), 2U);
}

// Where a text is drawn, by the average width of letters.
struct TextBox {
  std::string text;
  double left = 0, right = 0, top = 0, bottom = 0;
};

std::vector<TextBox> text_boxes(const std::string& svg) {
  static const std::regex kText("<text x=\"([-.0-9]+)\" y=\"([-.0-9]+)\"([^>]*)>([^<]*)</text>");
  static const std::regex kSize("font-size=\"([0-9]+)\"");
  std::vector<TextBox> boxes;
  for (std::sregex_iterator found(svg.begin(), svg.end(), kText), none; found != none; ++found) {
    const std::string style = (*found)[3];
    std::smatch size;
    const double letter = std::regex_search(style, size, kSize) ? std::stod(size[1]) : 13;
    const std::string text = (*found)[4];
    const bool is_bold = style.find("bold") != std::string::npos;
    const double width = (is_bold ? 0.58 : 0.55) * letter * static_cast<double>(trireme::width(text));
    const double before = style.find("\"end\"") != std::string::npos      ? width
                          : style.find("\"middle\"") != std::string::npos ? width / 2
                                                                          : 0;
    const double left = std::stod((*found)[1]) - before;
    const double base = std::stod((*found)[2]);
    boxes.push_back({text, left, left + width, base - 0.75 * letter, base + 0.2 * letter});
  }
  return boxes;
}

TEST(OptimReport, IsAPictureWithTextsApartFromEachOtherAndOnThePage) {
  const std::vector<const char*> rules = {"sgd", "momentum", "epoch-adam", "rescaled-sgd", "steepest:lp=1.5"};
  for (const optim::LinearSystem& system :
       {one_equation({1, 0.5}), one_equation({1, 0.9e5}), one_equation({0.02, -7e-5}),
        one_equation({1, 0.1, 0.01}), one_equation({-1e-6, 1e-6}), one_equation({-1, 0.8})}) {
    const std::string svg = to_svg(report_of(system, rules));
    const std::vector<TextBox> boxes = text_boxes(svg);
    EXPECT_GT(boxes.size(), 15U);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const TextBox& a = boxes[i];
      EXPECT_TRUE(a.left >= 0 && a.right <= 960 && a.top >= 0 && a.bottom <= 620) << a.text;
      for (std::size_t k = i + 1; k < boxes.size(); ++k) {
        const TextBox& b = boxes[k];
        const bool apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        EXPECT_TRUE(apart) << a.text << " | " << b.text;
      }
    }
  }
}

// A single solution, paths that stay at 0, axes that differ by far: nothing is divided by zero.
TEST(OptimReport, IsAPictureOfAnything) {
  const std::vector<optim::LinearSystem> systems = {
      optim::LinearSystem({{{1, 0}, 1}, {{0, 1}, 2}}), optim::LinearSystem({{{1, 1}, 0}}),
      optim::LinearSystem({{{1, 1e-5}, 1}}), optim::LinearSystem({{{0, 0, 1}, 1}})};
  EXPECT_EQ(count_of(to_svg(report_of(systems[0], {"sgd"})), "<polyline"), 1U);  // no curve of a norm
  for (const optim::LinearSystem& system : systems) {
    const std::string svg = to_svg(report_of(system, {"sgd", "rescaled-sgd"}));
    EXPECT_EQ(count_of(svg, "nan") + count_of(svg, "inf\""), 0U);
  }
  EXPECT_THAT(to_svg(report_of(systems[2], {"rescaled-sgd"})), HasSubstr("the axes have different scales"));
}

}  // namespace
}  // namespace trireme::report
