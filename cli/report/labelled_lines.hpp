#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stiefel::cli {

/// A page of paragraphs, each after its label:
///     matrix     poisson.mtx
///                1,000,000 x 1,000,000, ...
class LabelledLines {
public:
    /// For a terminal of `width` columns (see page_width); the text after the labels starts at column `indent`.
    LabelledLines(std::size_t indent, int width);

    std::size_t indent() const { return indent_; }
    std::size_t width() const { return width_; }

    /// A paragraph; an empty label continues the one before.
    void add(std::string_view label, std::string_view text);
    /// Items with commas between them, lines broken only there.
    void add_list(std::string_view label, std::span<const std::string> items);
    /// As add, with the label shown otherwise (styled), its visible width that of `label`.
    void add_styled(std::string_view label, std::string_view shown, std::string_view text);
    void blank() { page_ += '\n'; }
    void raw(std::string_view text) { page_ += text; }

    const std::string& text() const { return page_; }

private:
    /// Appends the label and gives the column at which the text starts.
    std::size_t begin(std::string_view label, std::string_view shown);

    std::size_t indent_;
    std::size_t width_;
    std::string page_ = {};
};

}  // namespace stiefel::cli
