#include "stiefel/cli/report/labelled_lines.hpp"

#include "stiefel/cli/terminal/wrapping.hpp"

#include <algorithm>

namespace stiefel::cli {

LabelledLines::LabelledLines(std::size_t indent, int width) : indent_(indent), width_(page_width(width)) {}

void LabelledLines::add(std::string_view label, std::string_view text) {
    add_styled(label, label, text);
}

void LabelledLines::add_styled(std::string_view label, std::string_view shown, std::string_view text) {
    append_wrapped(page_, text, begin(label, shown), width_);
}

void LabelledLines::add_list(std::string_view label, std::span<const std::string> items) {
    append_list(page_, items, begin(label, label), width_);
}

std::size_t LabelledLines::begin(std::string_view label, std::string_view shown) {
    const std::size_t column = std::max(indent_, label.size());
    page_ += shown;
    page_ += std::string(column - label.size(), ' ');
    return column;
}

}  // namespace stiefel::cli
