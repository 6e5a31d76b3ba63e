#include "stiefel/cli/description/completions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stiefel::cli {

namespace {

constexpr const char* bash_head =
    R"(# Completion of {0} for bash, written by '{0} --completions bash'.

# Of the command "$1": its commands, its options, and how many files its arguments are.
_{0}_command() {{
    commands='' options='' n_files=0
    case "$1" in
)";

constexpr const char* between =
    R"(    esac
}}

# Of an option, "COMMAND OPTION": the words that its value may be, and whether it may be a file. Fails if it has no value.
_{0}_value() {{
    words='' files=''
    case "$1" in
)";

constexpr const char* tail =
    R"(        *) return 1 ;;
    esac
}}

_{0}() {{
    local commands options n_files words files i word path='' option='' given=0
    local cur=${{COMP_WORDS[COMP_CWORD]}}
    _{0}_command ''
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${{COMP_WORDS[i]}}
        if [[ -n $option ]]; then  # its value; bash parts --option=value at the sign
            [[ $word == = ]] || option=''
        elif [[ $word == -?* ]]; then
            _{0}_value "$path $word" && option=$word
        elif [[ " $commands " == *" $word "* ]]; then
            path+=" $word"
            _{0}_command "$path"
        else
            ((++given))
        fi
    done

    words='' files=''
    [[ $cur == = ]] && cur=''
    if [[ -n $option ]]; then
        _{0}_value "$path $option"
    elif [[ $cur == -* ]]; then
        words=$options
    elif [[ -n $commands ]]; then
        words=$commands
    elif ((given < n_files)); then
        files=yes
    else
        words=$options
    fi
    COMPREPLY=()
    local IFS=$'\n'
    if [[ -n $files ]]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -f -- "$cur"))
    fi
    IFS=$' \n'
    COMPREPLY+=($(compgen -W "$words" -- "$cur"))
}}

complete -F _{0} {0}
)";

/// As it stands behind the program's name: " generate poisson3d".
std::string behind_name(const CommandDescription& command) {
    std::string line;
    for (const std::string& word : command.path) line += " " + word;
    return line;
}

void append_command(std::string& script, const CommandDescription& command) {
    std::vector<std::string> commands, options;
    for (const CommandDescription& each : command.commands) commands.push_back(each.name);
    for (const OptionDescription& option : command.options) {
        options.insert(options.end(), option.names.begin(), option.names.end());
    }
    const auto n_files = std::count_if(command.arguments.begin(), command.arguments.end(),
                                       [](const OptionDescription& argument) { return argument.values.files; });
    script += fmt::format("        '{}') commands='{}' options='{}' n_files={} ;;\n", behind_name(command),
                          fmt::join(commands, " "), fmt::join(options, " "), n_files);
    for (const CommandDescription& each : command.commands) append_command(script, each);
}

void append_values(std::string& script, const CommandDescription& command) {
    for (const OptionDescription& option : command.options) {
        if (option.value.empty()) continue;
        std::vector<std::string> patterns;
        for (const std::string& name : option.names) {
            patterns.push_back(fmt::format("'{} {}'", behind_name(command), name));
        }
        script += fmt::format("        {}) words='{}' files={} ;;\n", fmt::join(patterns, " | "),
                              fmt::join(option.values.words, " "), option.values.files ? "yes" : "");
    }
    for (const CommandDescription& each : command.commands) append_values(script, each);
}

}  // namespace

std::string bash_completion(const CommandDescription& program) {
    std::string script = fmt::format(bash_head, program.name);
    append_command(script, program);
    script += fmt::format(between, program.name);
    append_values(script, program);
    return script + fmt::format(tail, program.name);
}

}  // namespace stiefel::cli
