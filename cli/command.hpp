#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/run_info.hpp"

#include <exception>
#include <functional>
#include <memory>

namespace CLI {
class App;
}

namespace stiefel::cli {

/// What a subcommand does once its options are known, told which run of the program it is.
using CommandBody = std::function<ExitCode(const RunInfo&)>;

struct EigenCommandOptions;
struct InfoOptions;
struct SolveOptions;

/// The commands as a program that is one of several ranks does them, together with the others; empty where there are
/// none.
struct CommandsOnRanks {
    std::function<ExitCode(const SolveOptions&, const RunInfo&)> solve = {};
    std::function<ExitCode(const EigenCommandOptions&, const RunInfo&)> eigen = {};
    std::function<ExitCode(const InfoOptions&, const RunInfo&)> info = {};
    /// Ends all for what goes wrong in one of them before it gets there, other than what is asked for.
    std::function<void(const std::exception&)> end_all = {};
};

// One function a file: each declares a subcommand on the program. When the command line calls it, `chosen` is set to
// what is to be done.
void add_solve_command(CLI::App& program, CommandBody& chosen, const CommandsOnRanks& on_ranks);
void add_eigen_command(CLI::App& program, CommandBody& chosen, const CommandsOnRanks& on_ranks);
void add_info_command(CLI::App& program, CommandBody& chosen, const CommandsOnRanks& on_ranks);
void add_convert_command(CLI::App& program, CommandBody& chosen);
void add_generate_command(CLI::App& program, CommandBody& chosen);

}  // namespace stiefel::cli
