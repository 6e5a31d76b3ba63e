#include "stiefel/cli/description/completions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stiefel::cli {

namespace {

/// Text within single quotes, with a backslash before each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
            continue;
        }
        if (special.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

/// What _arguments does for a value or an argument: ":FILE:_files".
std::string action(const std::string& placeholder, const Values& values) {
    const std::string words = fmt::format("{}", fmt::join(values.words, " "));
    const std::string message = escaped(values.words.empty() ? placeholder : std::string("value"), ":\\");
    if (values.files && !words.empty()) return fmt::format(":{}:{{ compadd -- {}; _files }}", message, words);
    if (values.files) return fmt::format(":{}:_files", message);
    if (!words.empty()) return fmt::format(":{}:({})", message, words);
    return fmt::format(":{}: ", message);
}

/// One argument of _arguments for an option under all its names.
std::string zsh_option(const OptionDescription& option) {
    const bool is_flag = option.value.empty();
    std::vector<std::string> names;
    for (const std::string& name : option.names) {
        names.push_back(name + (is_flag ? "" : name.starts_with("--") ? "=" : "+"));
    }
    const std::string others = option.names.size() > 1 ? fmt::format("'({})'", fmt::join(option.names, " ")) : "";
    const std::string all =
        names.size() > 1 ? fmt::format("{{{}}}", fmt::join(names, ",")) : fmt::format("'{}'", names.front());
    return fmt::format("{}{}'[{}]{}'", others, all, escaped(in_brief(option.text), "[]\\:"),
                       is_flag ? "" : action(option.value, option.values));
}

std::string argument_line(const OptionDescription& argument) {
    return fmt::format("'{}{}'",
                       argument.repeats    ? "*"
                       : argument.required ? ""
                                           : ":",
                       action(argument.names.front(), argument.values));
}

std::string function_of(const CommandDescription& command, const std::string& program) {
    std::string name = "_" + program;
    for (const std::string& word : command.path) name += "_" + word;
    return name;
}

/// The part that lists the commands of a command, and goes on with the one that was given.
std::string among_commands(const CommandDescription& command, const std::string& program) {
    std::string listed, branches;
    for (const CommandDescription& each : command.commands) {
        listed += fmt::format("                '{}:{}'\n", each.name, escaped(in_brief(each.text), ":\\"));
        branches += fmt::format("                {}) {} ;;\n", each.name, function_of(each, program));
    }
    return fmt::format(
        R"(
    case $state in
        command)
            local -a commands=(
{}            )
            _describe command commands
            ;;
        arguments)
            curcontext="${{curcontext%:*}}-$words[1]:"
            case $words[1] in
{}            esac
            ;;
    esac
)",
        listed, branches);
}

void append_functions(std::string& script, const CommandDescription& command, const std::string& program) {
    const bool has_commands = !command.commands.empty();
    script += fmt::format("{}() {{\n", function_of(command, program));
    if (has_commands) script += "    local curcontext=$curcontext state state_descr line\n    typeset -A opt_args\n";
    script += has_commands ? "    _arguments -C" : "    _arguments -s";
    for (const OptionDescription& option : command.options) script += " \\\n        " + zsh_option(option);
    for (const OptionDescription& argument : command.arguments) script += " \\\n        " + argument_line(argument);
    if (has_commands) script += " \\\n        '1:command:->command' \\\n        '*::argument:->arguments' && return";
    script += '\n';
    if (has_commands) script += among_commands(command, program);
    script += "}\n\n";
    for (const CommandDescription& each : command.commands) append_functions(script, each, program);
}

}  // namespace

std::string zsh_completion(const CommandDescription& program) {
    std::string script =
        fmt::format("#compdef {0}\n# Completion of {0} for zsh, written by '{0} --completions zsh'.\n\n", program.name);
    append_functions(script, program, program.name);
    return script +
           fmt::format("if [[ $funcstack[1] == _{0} ]]; then _{0} \"$@\"; else compdef _{0} {0}; fi\n", program.name);
}

}  // namespace stiefel::cli
