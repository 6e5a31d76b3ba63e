#include "stiefel/cli/description/completions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stiefel::cli {

namespace {

constexpr const char* fish_head =
    R"(# Completion of {0} for fish, written by '{0} --completions fish'.

# Whether the words behind the program's name begin with these.
function __{0}_in
    set -l words (commandline -opc)
    string match -q -- "$argv *" "$words[2..-1] "
end

# Whether they are these and no more, options aside.
function __{0}_is
    set -l words (string match -v -- '-*' (commandline -opc))
    test "$words[2..-1]" = "$argv"
end

complete -c {0} -f
)";

std::string in_quotes(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

std::string fish_option(const OptionDescription& option) {
    std::string line;
    for (const std::string& name : option.names) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!option.value.empty()) line += option.values.files ? " -r -F" : " -x";
    if (!option.values.words.empty()) line += fmt::format(" -a '{}'", fmt::join(option.values.words, " "));
    return line + " -d " + in_quotes(in_brief(option.text));
}

void append_command(std::string& script, const CommandDescription& command, const std::string& program) {
    const std::string path = fmt::format("{}", fmt::join(command.path, " "));
    const std::string here = fmt::format("complete -c {} -n '__{}_is {}'", program, program, path);
    const std::string in =
        command.commands.empty() ? fmt::format("complete -c {} -n '__{}_in {}'", program, program, path) : here;
    script += '\n';
    for (const CommandDescription& each : command.commands) {
        script += fmt::format("{} -a {} -d {}\n", here, each.name, in_quotes(in_brief(each.text)));
    }
    const bool takes_files = std::any_of(command.arguments.begin(), command.arguments.end(),
                                         [](const OptionDescription& argument) { return argument.values.files; });
    if (takes_files) script += in + " -F\n";
    for (const OptionDescription& option : command.options) script += in + fish_option(option) + '\n';
    for (const CommandDescription& each : command.commands) append_command(script, each, program);
}

}  // namespace

std::string fish_completion(const CommandDescription& program) {
    std::string script = fmt::format(fish_head, program.name);
    append_command(script, program, program.name);
    return script;
}

}  // namespace stiefel::cli
