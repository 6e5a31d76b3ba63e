#include "stiefel/cli/help.hpp"

#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/cli/terminal/wrapping.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>

namespace stiefel::cli {

namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t gap = 2;
constexpr std::size_t longest_left = 26;  // what is longer gets a line of its own

struct Entry {
    std::string left;
    std::string text;
};

struct Section {
    std::string title;
    std::vector<Entry> entries;
};

std::string left_side(const OptionDescription& option) {
    std::string line;
    for (const std::string& name : option.names) {
        const bool has_no_short_name = line.empty() && name.starts_with("--");
        line += (has_no_short_name ? "    " : line.empty() ? "" : ", ") + name;
    }
    return option.value.empty() ? line : line + " " + option.value;
}

std::vector<Section> sections_of(const CommandDescription& described) {
    std::vector<Section> sections;
    const auto section = [&](const std::string& title) -> Section& {
        const auto found =
            std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.title == title; });
        return found != sections.end() ? *found : sections.emplace_back(Section{title, {}});
    };
    for (const CommandDescription& command : described.commands) {
        section(command.group).entries.push_back({command.name, command.text});
    }
    for (const auto* options : {&described.arguments, &described.options}) {
        for (const OptionDescription& option : *options) {
            section(option.group).entries.push_back({left_side(option), option.text});
        }
    }
    return sections;
}

/// Entries in two columns, or, where that leaves the right one too narrow, one under the other.
class EntryList {
public:
    EntryList(std::size_t left_width, std::size_t width) : width_(width) {
        constexpr std::size_t least_text = 30;
        const std::size_t beside = indent + left_width + gap;
        is_beside_ = beside + least_text <= width;
        column_ = is_beside_ ? beside : 2 * indent + gap;
    }

    void add(std::string& page, const Entry& entry) const {
        page += std::string(indent, ' ');
        if (is_beside_ && indent + entry.left.size() + gap <= column_) {
            page += entry.left + std::string(column_ - indent - entry.left.size(), ' ');
        } else {
            append_left(page, entry.left);
            if (entry.text.empty()) return;
            page += std::string(column_, ' ');
        }
        append_wrapped(page, entry.text, column_, width_);
    }

private:
    /// A line of its own, or more where the page is too narrow: a list of words is broken between them then.
    void append_left(std::string& page, const std::string& left) const {
        if (indent + left.size() <= width_ && is_beside_) {
            page += left + '\n';
            return;
        }
        std::string words;
        for (std::size_t i = left.find_first_not_of(' '); i < left.size(); ++i) {
            const bool joins = left[i] == '|' && left[i - 1] != ' ' && indent + left.size() > width_;
            words += joins ? " | " : std::string(1, left[i]);
        }
        append_wrapped(page, words, indent, width_);
    }

    std::size_t width_;
    bool is_beside_ = true;
    std::size_t column_ = 0;
};

std::size_t widest_left(const std::vector<Entry>& entries, std::size_t longest) {
    std::size_t widest = 0;
    for (const Entry& entry : entries) {
        if (entry.left.size() <= longest) widest = std::max(widest, entry.left.size());
    }
    return widest;
}

void append_closing(std::string& page, const std::vector<ClosingLine>& closing, std::size_t width) {
    std::vector<Entry> examples;
    for (const ClosingLine& line : closing) {
        if (line.is_example) examples.push_back({line.text, line.does});
    }
    const EntryList list(widest_left(examples, width), width);
    for (const ClosingLine& line : closing) {
        if (line.is_example) {
            list.add(page, {line.text, line.does});
        } else {
            append_wrapped(page, line.text, 0, width);
        }
    }
}

}  // namespace

std::string help_page(const CommandDescription& command) {
    const std::size_t width = page_width(terminal_width(STDOUT_FILENO));
    std::string page;
    append_wrapped(page, command.text, 0, width);
    page += fmt::format("\n{} ", styled(Style::bold, "Usage:"));
    append_wrapped(page, command.usage, std::string_view("Usage: ").size(), width);

    const std::vector<Section> sections = sections_of(command);
    std::size_t left_width = 0;
    for (const Section& section : sections)
        left_width = std::max(left_width, widest_left(section.entries, longest_left));
    const EntryList list(left_width, width);
    for (const Section& section : sections) {
        std::string title;
        append_wrapped(title, section.title + ":", 0, width);
        title.pop_back();
        page += fmt::format("\n{}\n", styled(Style::bold, title));
        for (const Entry& entry : section.entries) list.add(page, entry);
    }
    if (!command.closing.empty()) {
        page += '\n';
        append_closing(page, command.closing, width);
    }
    return page;
}

}  // namespace stiefel::cli
