#include "stiefel/cli/description/man_page.hpp"

#include "stiefel/cli/description/roff.hpp"
#include "stiefel/cli/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace stiefel::cli {

namespace {

/// "Write a matrix" as "write a matrix", which stands behind "name - "; of the program, "Stiefel solves systems." as
/// "solves systems".
std::string in_a_list(const CommandDescription& command) {
    std::string text = command.text;
    if (command.path.empty()) text.erase(0, command.name.size() + 1);
    if (text.ends_with('.')) text.pop_back();
    text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
    return text;
}

void append_options(RoffPage& page, const std::vector<OptionDescription>& options) {
    for (const OptionDescription& option : options) page.entry(option.names, option.value, option.text);
}

std::vector<std::string> groups_of(const std::vector<OptionDescription>& options) {
    std::vector<std::string> groups;
    for (const OptionDescription& option : options) {
        if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
    }
    return groups;
}

void append_by_group(RoffPage& page, const std::vector<OptionDescription>& options) {
    for (const std::string& group : groups_of(options)) {
        if (group != "OPTIONS" && group != "Options") page.subsection(group);
        for (const OptionDescription& option : options) {
            if (option.group == group) page.entry(option.names, option.value, option.text);
        }
    }
}

/// The options that every one of a command's commands has.
std::vector<OptionDescription> common_options(const CommandDescription& command) {
    std::vector<OptionDescription> common = command.commands.front().options;
    for (const CommandDescription& each : command.commands) {
        std::erase_if(common, [&](const OptionDescription& option) {
            return std::find(each.options.begin(), each.options.end(), option) == each.options.end();
        });
    }
    return common;
}

/// The commands of a command that have no pages of their own: each with what it alone takes.
void append_kinds(RoffPage& page, const CommandDescription& command) {
    const std::vector<OptionDescription> common = common_options(command);
    std::string group;
    for (const CommandDescription& kind : command.commands) {
        if (kind.group != group) page.section(kind.group);
        group = kind.group;
        page.subsection(kind.usage);
        page.paragraph(kind.text);
        append_options(page, kind.arguments);
        std::vector<OptionDescription> own = kind.options;
        std::erase_if(own, [&](const OptionDescription& option) {
            return std::find(common.begin(), common.end(), option) != common.end();
        });
        append_options(page, own);
    }
    page.section("Options of every kind");
    append_options(page, common);
}

/// Examples have a section, and so has a paragraph "Exit codes: ..."; what else there is goes into the description.
void append_closing(RoffPage& page, const std::vector<ClosingLine>& closing) {
    constexpr std::string_view codes = "Exit codes: ";
    for (const ClosingLine& line : closing) {
        if (line.is_example) {
            page.example(line.text, line.does);
        } else if (line.text.starts_with(codes)) {
            page.section("Exit status");
            page.paragraph(line.text.substr(codes.size()));
        } else if (line.text.ends_with(':')) {
            page.section(line.text.substr(0, line.text.size() - 1));
        } else if (!line.text.empty()) {
            page.section("Notes");
            page.paragraph(line.text);
        }
    }
}

}  // namespace

std::string man_page_name(const CommandDescription& program, const CommandDescription& command) {
    return command.path.empty() ? program.name : fmt::format("{}-{}", program.name, command.path.front());
}

std::string man_page(const CommandDescription& program, const CommandDescription& command) {
    const bool is_program = command.path.empty();
    RoffPage page(man_page_name(program, command), fmt::format("{} {}", program.name, version));
    page.section("Name");
    page.name(man_page_name(program, command), in_a_list(command));
    page.section("Synopsis");
    page.synopsis(command.usage);
    page.section("Description");
    page.paragraph(command.text);
    if (is_program) {
        page.section("Commands");
        for (const CommandDescription& each : command.commands) page.entry({each.name}, "", each.text);
    }
    append_options(page, command.arguments);
    if (!is_program && !command.commands.empty()) {
        append_kinds(page, command);
    } else {
        page.section("Options");
        append_by_group(page, command.options);
    }
    append_closing(page, command.closing);
    page.section("See also");
    std::vector<std::string> others;
    if (!is_program) others.push_back(program.name);
    for (const CommandDescription& each : program.commands) {
        if (each.name != command.name) others.push_back(man_page_name(program, each));
    }
    page.references(others);
    return page.text();
}

}  // namespace stiefel::cli
