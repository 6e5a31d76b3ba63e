#include "stiefel/cli/program.hpp"

#include "stiefel/cli/command.hpp"
#include "stiefel/cli/description/page_options.hpp"
#include "stiefel/cli/help.hpp"
#include "stiefel/cli/options.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/cli/version.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace stiefel::cli {

namespace {

constexpr const char* footer =
    "Examples:\n"
    "  stiefel generate poisson3d 100 -o poisson.mtx    a million unknowns\n"
    "  stiefel solve poisson.mtx -o x.mtx               solve A x = ones, write x\n"
    "  stiefel eigen poisson.mtx --count 8              its smallest eigenvalues and their vectors\n"
    "  stiefel info poisson.mtx                         what the matrix is like\n"
    "  stiefel convert A.mtx A.mtx.gz                   compress\n"
    "\n"
    "'stiefel COMMAND --help' tells all about a command.";

/// Declared without help text of CLI11's own; help_page writes all pages.
void add_help_flag(CLI::App& app) {
    app.set_help_flag("-h,--help", "show this page");
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) add_help_flag(*command);
}

const CLI::App& deepest_command(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : deepest_command(*parsed.front());
}

/// "stiefel help solve" is "stiefel solve --help".
void accept_help_as_word(std::vector<std::string>& arguments) {
    if (arguments.empty() || arguments.front() != "help") return;
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
}

/// A file behind the matrix is probably the right-hand side.
std::string one_too_many(const std::string& word, const CLI::App& command) {
    const bool takes_rhs = command.get_option_no_throw("--rhs") != nullptr;
    std::error_code error;
    return fmt::format("{} is one word too many{}: {}", word,
                       takes_rhs && std::filesystem::is_regular_file(word, error)
                           ? fmt::format("; did you mean '--rhs {}'?", shell_word(word))
                           : "",
                       usage_line(command));
}

/// What CLI11 found wrong, in this program's words.
UsageError in_our_words(const CLI::ParseError& problem, const CLI::App& program) {
    const CLI::App& command = deepest_command(program);
    const std::string text = problem.what();
    const std::string name = text.substr(0, text.find_first_of(": "));
    const CLI::Option* option = command.get_option_no_throw(name);
    std::string said = text;
    if (dynamic_cast<const CLI::RequiredError*>(&problem) != nullptr) {
        said = fmt::format("{} is missing: {}", name, usage_line(command));
    } else if (dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr) {
        said = one_too_many(program.remaining(true).front(), command);
    } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&problem) != nullptr && option != nullptr) {
        said = fmt::format("{} needs a value: {} {}", name, name, option->get_type_name());
    }
    return UsageError(fmt::format("{} ('{} --help' explains)", said, full_name(command)));
}

/// Throws UsageError for a command that several ranks have no use for.
void check_done_by_ranks(const CLI::App& program) {
    for (const CLI::App* const command : program.get_subcommands()) {
        const std::string& name = command->get_name();
        if (name != "convert" && name != "generate") continue;
        throw UsageError(
            fmt::format("{0} is done by one process: 'stiefel {0} ...', without mpirun; several ranks 'solve', find "
                        "eigenpairs ('eigen') and describe ('info')",
                        name));
    }
}

ExitCode parse_and_run(std::vector<std::string> arguments, const CommandsOnRanks& on_ranks) {
    const RunInfo run = this_run(arguments);
    CommandBody chosen;
    CLI::App program(
        "Stiefel solves symmetric positive definite systems given as Matrix Market files, and finds eigenpairs.",
        "stiefel");
    add_solve_command(program, chosen, on_ranks);
    add_eigen_command(program, chosen, on_ranks);
    add_info_command(program, chosen, on_ranks);
    add_convert_command(program, chosen);
    add_generate_command(program, chosen);
    program.set_version_flag("-V,--version", fmt::format("stiefel {}", version), "show the version");
    add_page_options(program, chosen);
    program.footer(footer);
    add_help_flag(program);

    accept_help_as_word(arguments);
    if (arguments.empty()) {
        print(help_page(describe(program)));
        return ExitCode::wrong_use;
    }
    check_spelling(program, arguments);
    try {
        std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 wants
        program.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        print(help_page(describe(deepest_command(program))));
        return ExitCode::done;
    } catch (const CLI::CallForVersion& call) {
        print(fmt::format("{}\n", call.what()));
        return ExitCode::done;
    } catch (const CLI::ParseError& problem) {
        throw in_our_words(problem, program);
    }
    if (!chosen)
        throw UsageError(fmt::format("which one? '{} --help' lists them", full_name(deepest_command(program))));
    if (on_ranks.solve) check_done_by_ranks(program);
    return chosen(run);
}

}  // namespace

int run_program(int argc, char** argv, const CommandsOnRanks& on_ranks) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow any further is an output that cannot be written
    ExitCode code = ExitCode::done;
    try {
        code = parse_and_run({argv + 1, argv + argc}, on_ranks);
    } catch (const std::exception& error) {
        const bool all_know =
            dynamic_cast<const UsageError*>(&error) != nullptr || dynamic_cast<const RankFault*>(&error) != nullptr;
        if (on_ranks.end_all && !all_know) on_ranks.end_all(error);
        print_message(message_of(error));
        code = exit_code_of(error);
    }
    return static_cast<int>(code);
}

}  // namespace stiefel::cli
