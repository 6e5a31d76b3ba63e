#include "stiefel/cli/help.hpp"

#include "stiefel/cli/options.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/cli/terminal/wrapping.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace stiefel::cli {

namespace {

constexpr std::size_t indent = 2;
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

std::string usage(const CLI::App& app) {
    std::string line = full_name(app);
    const bool has_commands = !app.get_subcommands([](const CLI::App*) { return true; }).empty();
    if (has_commands) return line + " COMMAND [OPTIONS]";
    for (const CLI::Option* option : app.get_options()) {
        if (option->nonpositional()) continue;
        const std::string name = option->get_name(true);
        line += option->get_required() ? " " + name : " [" + name + "]";
    }
    return line + " [OPTIONS]";
}

}  // namespace

std::string help_page(const CLI::App& app) {
    const auto width = static_cast<std::size_t>(std::clamp(terminal_width(STDOUT_FILENO), 60, 100));
    std::string page;
    append_wrapped(page, app.get_description(), 0, width);
    page += fmt::format("\n{} {}\n", styled(Style::bold, "Usage:"), usage(app));

    const std::vector<Section> sections = sections_of(app);
    std::size_t left_width = 0;
    for (const Section& section : sections) {
        for (const Entry& entry : section.entries) {
            if (entry.left.size() <= longest_left) left_width = std::max(left_width, entry.left.size());
        }
    }
    const std::size_t column = indent + left_width + 2;
    for (const Section& section : sections) {
        page += fmt::format("\n{}\n", styled(Style::bold, section.title + ":"));
        for (const Entry& entry : section.entries) {
            page += fmt::format("{:{}}{:<{}}", "", indent, entry.left, left_width + 2);
            if (entry.left.size() > left_width) page += fmt::format("\n{:{}}", "", column);
            append_wrapped(page, entry.text, column, width);
        }
    }
    if (!app.get_footer().empty()) page += fmt::format("\n{}\n", app.get_footer());
    return page;
}

}  // namespace stiefel::cli
