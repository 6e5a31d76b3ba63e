#include "stiefel/cli/labelled_lines.hpp"

#include "stiefel/cli/wrapping.hpp"

#include <algorithm>

namespace stiefel::cli {

LabelledLines::LabelledLines(std::size_t indent, int width)
    : indent_(indent), width_(static_cast<std::size_t>(std::clamp(width, 60, 100))) {}

void LabelledLines::add(std::string_view label, std::string_view text) {
    add_styled(label, label, text);
}

void LabelledLines::add_styled(std::string_view label, std::string_view shown, std::string_view text) {
    page_ += shown;
    page_ += std::string(indent_ - std::min(indent_, label.size()), ' ');
    append_wrapped(page_, text, std::max(indent_, label.size()), width_);
}

}  // namespace stiefel::cli
