#include "stiefel/cli/description/command_description.hpp"

#include "stiefel/cli/options.hpp"
#include "stiefel/spmv/kernel_names.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

namespace stiefel::cli {

namespace {

auto every_command(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

/// Placeholders are written in capitals: "N", "FILE", "random:K".
bool is_placeholder(const std::string& word) {
    return std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isupper(c) != 0; });
}

bool stands_for_a_file(const std::string& placeholder) {
    constexpr std::array files{"FILE", "A.mtx", "IN", "OUT"};
    return placeholder.starts_with("FILE.") || std::find(files.begin(), files.end(), placeholder) != files.end();
}

/// From how a value is written: words are themselves, some placeholders have a meaning.
Values values_of(const std::string& value) {
    Values values;
    for (const std::string& part : split(value, '|')) {
        if (part == "KERNEL") {
            values.words.emplace_back("auto");
            for (const std::string_view name : spmv_kernel_names()) values.words.emplace_back(name);
        } else if (stands_for_a_file(part)) {
            values.files = true;
        } else if (!is_placeholder(part)) {
            values.words.push_back(part);
        }
    }
    return values;
}

OptionDescription describe(const CLI::Option& option) {
    OptionDescription described;
    if (option.nonpositional()) {
        for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
        for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
        const bool is_flag = option.get_expected_max() == 0;
        if (!is_flag) described.value = option.get_type_name();
        described.group = option.get_group();
        described.values = values_of(described.value);
    } else {
        described.names = {option.get_name(true)};
        described.group = "Arguments";
        described.repeats = option.get_expected_max() > 1;
        described.values = values_of(described.names.front());
    }
    described.text = option.get_description();
    described.required = option.get_required();
    return described;
}

/// An example of CLI11's footer begins with two blanks; what it does stands behind two more.
ClosingLine closing_line(const std::string& line) {
    if (!line.starts_with("  ")) return {false, line, ""};
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find("  ", begin), line.size());
    const std::size_t does = std::min(line.find_first_not_of(' ', end), line.size());
    return {true, line.substr(begin, end - begin), line.substr(does)};
}

}  // namespace

std::string usage_line(const CLI::App& app) {
    const std::string line = full_name(app);
    if (!every_command(app).empty()) {
        return line + (app.get_parent() == nullptr ? " COMMAND [OPTIONS]" : " KIND [OPTIONS]");
    }
    std::string arguments;
    for (const CLI::Option* option : app.get_options()) {
        if (option->nonpositional()) continue;
        const std::string name = option->get_name(true);
        arguments += option->get_required() ? " " + name : " [" + name + "]";
    }
    return line + arguments + " [OPTIONS]";
}

CommandDescription describe(const CLI::App& app) {
    CommandDescription described{.name = app.get_name(),
                                 .path = split(full_name(app), ' '),
                                 .group = app.get_group(),
                                 .text = app.get_description(),
                                 .usage = usage_line(app),
                                 .arguments = {},
                                 .options = {},
                                 .commands = {},
                                 .closing = {}};
    described.path.erase(described.path.begin());
    for (const CLI::Option* option : app.get_options()) {
        (option->nonpositional() ? described.options : described.arguments).push_back(describe(*option));
    }
    for (const CLI::App* command : every_command(app)) described.commands.push_back(describe(*command));
    for (const std::string& line : split(app.get_footer(), '\n')) described.closing.push_back(closing_line(line));
    return described;
}

std::string in_brief(std::string_view text) {
    constexpr std::size_t longest = 70;
    if (text.starts_with('[') || text.starts_with("...")) return std::string(text.substr(0, text.rfind(" [")));
    for (const std::string_view detail : {"; ", ". ", ": ", " [", " ("}) text = text.substr(0, text.find(detail));
    if (text.size() <= longest) return std::string(text);
    return std::string(text.substr(0, text.rfind(' ', longest - 4))) + " ...";
}

}  // namespace stiefel::cli
