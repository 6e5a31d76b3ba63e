#include "stiefel/cli/description/roff.hpp"

#include "stiefel/cli/terminal/wrapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace stiefel::cli {

namespace {

/// Characters as they are typed: roff makes typographic ones of some.
std::string verbatim(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '\\':
                out += "\\e";
                break;
            case '-':
                out += "\\-";
                break;
            case '\'':
                out += "\\(aq";
                break;
            case '`':
                out += "\\(ga";
                break;
            case '^':
                out += "\\(ha";
                break;
            case '~':
                out += "\\(ti";
                break;
            case '"':
                out += "\\(dq";
                break;
            default:
                out += c;
        }
    }
    return out;
}

/// A long list of words may be broken after a bar.
std::string breakable(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += c;
        if (c == '|') out += "\\:";
    }
    return out;
}

/// A title in capitals, in quotes.
std::string title(std::string_view text, bool capitals) {
    std::string word(text);
    if (capitals) {
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    }
    return fmt::format("\"{}\"", verbatim(word));
}

}  // namespace

RoffPage::RoffPage(std::string_view name, std::string_view source) {
    line(fmt::format(".TH {} 1 \"\" {} \"User commands\"", title(name, true), title(source, false)));
    line(".nh");
    line(".ad l");
}

void RoffPage::line(std::string_view roff) {
    page_ += roff;
    page_ += '\n';
    is_below_title_ = roff.starts_with(".S");
}

void RoffPage::running_text(std::string_view text) {
    if (text.empty()) return line("\\&");
    std::string wrapped;
    append_wrapped(wrapped, text, 0, 78);
    std::istringstream lines(wrapped);
    for (std::string each; std::getline(lines, each);) {
        const bool looks_like_a_request = each.starts_with('.');
        line((looks_like_a_request ? "\\&" : "") + verbatim(each));
    }
}

void RoffPage::section(std::string_view text) {
    line(".SH " + title(text, true));
}

void RoffPage::subsection(std::string_view text) {
    line(".SS " + title(text, false));
}

void RoffPage::name(std::string_view name, std::string_view what) {
    line(fmt::format("{} \\- {}", verbatim(name), verbatim(what)));
}

void RoffPage::synopsis(std::string_view usage) {
    line(fmt::format(".B {}", verbatim(usage)));
}

void RoffPage::paragraph(std::string_view text) {
    if (!is_below_title_) line(".PP");
    running_text(text);
}

void RoffPage::entry(const std::vector<std::string>& names, std::string_view value, std::string_view text) {
    std::string tag;
    for (const std::string& name : names) tag += fmt::format("{}\\fB{}\\fR", tag.empty() ? "" : ", ", verbatim(name));
    if (!value.empty()) tag += fmt::format(" \\fI{}\\fR", breakable(verbatim(value)));
    line(".TP");
    line(tag);
    running_text(text);
}

void RoffPage::example(std::string_view command, std::string_view does) {
    line(".TP");
    line(fmt::format("\\fB{}\\fR", verbatim(command)));
    running_text(does);
}

void RoffPage::references(const std::vector<std::string>& names) {
    for (const std::string& each : names) {
        line(fmt::format(".BR {} (1){}", verbatim(each), &each == &names.back() ? "" : ","));
    }
}

}  // namespace stiefel::cli
