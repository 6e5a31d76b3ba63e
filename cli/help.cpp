#include "stiefel/cli/help.hpp"

#include "stiefel/cli/options.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/cli/terminal/wrapping.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>

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

std::string left_side(const CLI::Option& option) {
    if (!option.nonpositional()) return option.get_name(true);
    std::string names;
    for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
    for (const std::string& name : option.get_lnames()) names += (names.empty() ? "    --" : ", --") + name;
    const bool is_flag = option.get_expected_max() == 0;
    return is_flag ? names : names + " " + option.get_type_name();
}

std::vector<Section> sections_of(const CLI::App& app) {
    std::vector<Section> sections;
    const auto section = [&](const std::string& title) -> Section& {
        const auto found =
            std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.title == title; });
        return found != sections.end() ? *found : sections.emplace_back(Section{title, {}});
    };
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        section(command->get_group()).entries.push_back({command->get_name(), command->get_description()});
    }
    for (const CLI::Option* option : app.get_options()) {
        if (!option->nonpositional())
            section("Arguments").entries.push_back({left_side(*option), option->get_description()});
    }
    for (const CLI::Option* option : app.get_options()) {
        if (option->nonpositional())
            section(option->get_group()).entries.push_back({left_side(*option), option->get_description()});
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

/// An example of the footer: the command, and after two blanks or more what it does.
Entry example(std::string_view line) {
    line.remove_prefix(indent);
    const std::size_t end = std::min(line.find("  "), line.size());
    const std::size_t text = std::min(line.find_first_not_of(' ', end), line.size());
    return {std::string(line.substr(0, end)), std::string(line.substr(text))};
}

void append_footer(std::string& page, const std::string& footer, std::size_t width) {
    std::vector<std::string> lines;
    std::istringstream stream(footer);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    std::vector<Entry> examples;
    for (const std::string& line : lines) {
        if (line.starts_with("  ")) examples.push_back(example(line));
    }
    const EntryList list(widest_left(examples, width), width);
    for (const std::string& line : lines) {
        if (line.starts_with("  ")) {
            list.add(page, example(line));
        } else {
            append_wrapped(page, line, 0, width);
        }
    }
}

}  // namespace

std::string usage_line(const CLI::App& app) {
    std::string line = full_name(app);
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    if (!commands.empty()) return line + (app.get_parent() == nullptr ? " COMMAND [OPTIONS]" : " KIND [OPTIONS]");
    for (const CLI::Option* option : app.get_options()) {
        if (option->nonpositional()) continue;
        const std::string name = option->get_name(true);
        line += option->get_required() ? " " + name : " [" + name + "]";
    }
    return line + " [OPTIONS]";
}

std::string help_page(const CLI::App& app) {
    const std::size_t width = page_width(terminal_width(STDOUT_FILENO));
    std::string page;
    append_wrapped(page, app.get_description(), 0, width);
    page += fmt::format("\n{} ", styled(Style::bold, "Usage:"));
    append_wrapped(page, usage_line(app), std::string_view("Usage: ").size(), width);

    const std::vector<Section> sections = sections_of(app);
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
    if (!app.get_footer().empty()) {
        page += '\n';
        append_footer(page, app.get_footer(), width);
    }
    return page;
}

}  // namespace stiefel::cli
