#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// Writes a manual page in roff, with the macros of man(7). All text is plain: what has a meaning in roff is escaped.
class RoffPage {
public:
    /// name: "stiefel-solve"; source: "stiefel 0.1.0". The page has no date, so that the same program gives the same
    /// page.
    RoffPage(std::string_view name, std::string_view source);

    void section(std::string_view title);
    void subsection(std::string_view title);
    /// The line that whatis and apropos read.
    void name(std::string_view name, std::string_view what);
    void synopsis(std::string_view usage);
    void paragraph(std::string_view text);
    /// An option or the like, and what it means.
    void entry(const std::vector<std::string>& names, std::string_view value, std::string_view text);
    /// A command to type, and what it does (may be empty).
    void example(std::string_view command, std::string_view does);
    /// Other pages of section 1.
    void references(const std::vector<std::string>& names);

    const std::string& text() const { return page_; }

private:
    void line(std::string_view roff);
    void running_text(std::string_view text);

    std::string page_;
    bool is_below_title_ = false;  ///< where a paragraph has begun already
};

}  // namespace stiefel::cli
