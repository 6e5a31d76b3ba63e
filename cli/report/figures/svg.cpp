#include "stiefel/cli/report/figures/svg.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

const char* name_of(Svg::Anchor anchor) {
    switch (anchor) {
        case Svg::Anchor::start:
            return "start";
        case Svg::Anchor::middle:
            return "middle";
        case Svg::Anchor::end:
            return "end";
    }
    return "";
}

std::string class_attribute(std::string_view css_class) {
    return css_class.empty() ? "" : fmt::format(" class=\"{}\"", css_class);
}

}  // namespace

std::string html_escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

std::string coordinate(double value) {
    std::string text = fmt::format("{:.1f}", value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text == "-0" ? "0" : text;
}

Svg::Svg(double width, double height, std::string_view name, std::string_view title, std::string_view description,
         std::string_view attributes)
    : body_(fmt::format(
          "<svg viewBox=\"0 0 {0} {1}\"{5} role=\"img\" aria-labelledby=\"{2}-title\" aria-describedby=\"{2}-text\">"
          "<title id=\"{2}-title\">{3}</title><desc id=\"{2}-text\">{4}</desc>",
          coordinate(width), coordinate(height), name, html_escaped(title), html_escaped(description),
          attributes.empty() ? "" : fmt::format(" {}", attributes))) {}

void Svg::path(std::string_view css_class, std::string_view data) {
    body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", css_class, data);
}

void Svg::line(std::string_view css_class, double x1, double y1, double x2, double y2) {
    path(css_class, fmt::format("M{} {}L{} {}", coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2)));
}

void Svg::box(std::string_view css_class, double x, double y, double width, double height) {
    body_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", css_class, coordinate(x),
                         coordinate(y), coordinate(width), coordinate(height));
}

void Svg::open_group(std::string_view transform) {
    body_ += fmt::format("<g transform=\"{}\">", transform);
}

void Svg::dot(std::string_view css_class, double x, double y, std::string_view hint) {
    body_ += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"4.5\"><title>{}</title></circle>", css_class,
                         coordinate(x), coordinate(y), html_escaped(hint));
}

void Svg::text(double x, double y, Anchor anchor, std::string_view text, std::string_view css_class) {
    body_ += fmt::format("<text{} x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", class_attribute(css_class),
                         coordinate(x), coordinate(y), name_of(anchor), html_escaped(text));
}

void Svg::upright_text(double x, double y, Anchor anchor, std::string_view text) {
    body_ += fmt::format("<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"{}\">{}</text>", coordinate(x),
                         coordinate(y), name_of(anchor), html_escaped(text));
}

}  // namespace stiefel::cli
