#pragma once

#include <string>
#include <string_view>

namespace stiefel::cli {

/// A text with what has a meaning in HTML written otherwise.
std::string html_escaped(std::string_view text);

/// A drawing as an SVG element for a page of HTML. Its colours come from the page's style sheet, by classes, so that it
/// is light or dark as the page is. The unit is a pixel of a screen on which the page is not scaled.
class Svg {
public:
    enum class Anchor { start, middle, end };

    /// name: unique in the page; title: what is drawn; description: what is to be seen, for those who do not see it.
    /// attributes: of the element, further ones.
    Svg(double width, double height, std::string_view name, std::string_view title, std::string_view description,
        std::string_view attributes = "");

    /// data: as SVG has it, "M0 0H10".
    void path(std::string_view css_class, std::string_view data);
    void line(std::string_view css_class, double x1, double y1, double x2, double y2);
    void box(std::string_view css_class, double x, double y, double width, double height);
    /// What follows up to close_group() is moved and scaled.
    void open_group(std::string_view transform);
    void close_group() { body_ += "</g>"; }
    /// A disc with a text that is shown where a pointer rests on it.
    void dot(std::string_view css_class, double x, double y, std::string_view hint);
    /// y: of the base line.
    void text(double x, double y, Anchor anchor, std::string_view text, std::string_view css_class = "");
    /// The same, upwards.
    void upright_text(double x, double y, Anchor anchor, std::string_view text);

    std::string str() const { return body_ + "</svg>"; }

private:
    std::string body_;
};

/// "12.3": a coordinate, to a tenth, in the fewest letters.
std::string coordinate(double value);

}  // namespace stiefel::cli
