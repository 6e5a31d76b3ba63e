#include "stiefel/cli/description/page_options.hpp"

#include "stiefel/cli/description/completions.hpp"
#include "stiefel/cli/description/man_page.hpp"
#include "stiefel/cli/options.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace stiefel::cli {

namespace {

using WriteCompletion = std::string (*)(const CommandDescription& program);

constexpr std::array shells{Choice<WriteCompletion>{"bash", bash_completion},
                            Choice<WriteCompletion>{"zsh", zsh_completion},
                            Choice<WriteCompletion>{"fish", fish_completion}};

std::string man_page_of(const CommandDescription& program, const std::string& name) {
    for (const CommandDescription& command : program.commands) {
        if (command.name == name) return man_page(program, command);
    }
    return man_page(program, program);
}

struct PageOptions {
    WriteCompletion write_completion = nullptr;
    std::string_view page;
    std::vector<Choice<std::string_view>> pages;  ///< the commands that have one
};

}  // namespace

void add_page_options(CLI::App& program, CommandBody& chosen) {
    const auto options = std::make_shared<PageOptions>();
    const std::string group = program.option_defaults()->get_group();
    options->pages.push_back({program.get_name(), program.get_name()});
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
        options->pages.push_back({command->get_name(), command->get_name()});
    }
    add_choice<WriteCompletion>(program, "--completions", options->write_completion, shells,
                                {"", group, "write a script that lets the shell complete commands, options and words"});
    add_choice<std::string_view>(
        program, "--man", options->page, options->pages,
        {"", group,
         fmt::format("write the manual page of it; '{} --man solve | man -l -' shows one", program.get_name())});
    program.callback([options, &program, &chosen] {
        if (options->write_completion == nullptr && options->page.empty()) return;
        chosen = [options, &program](const RunInfo&) {
            const CommandDescription described = describe(program);
            if (options->write_completion != nullptr) print(options->write_completion(described));
            if (!options->page.empty()) print(man_page_of(described, std::string(options->page)));
            return ExitCode::done;
        };
    });
}

}  // namespace stiefel::cli
