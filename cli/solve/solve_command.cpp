#include "stiefel/cli/command.hpp"
#include "stiefel/cli/computing_command.hpp"
#include "stiefel/cli/report/report_html.hpp"
#include "stiefel/cli/report/report_json.hpp"
#include "stiefel/cli/report/report_text.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/solve/solve_system.hpp"

#include <CLI/CLI.hpp>

namespace stiefel::cli {

namespace {

ExitCode solve(const SolveOptions& options, const RunInfo& run) {
    return compute_and_report(options, run, [&](StatusLine& status) {
        check_solve_options(options);
        return options.precision == Precision::single ? solve_system<float>(options, status)
                                                      : solve_system<double>(options, status);
    });
}

}  // namespace

void add_solve_command(CLI::App& program, CommandBody& chosen, const CommandsOnRanks& on_ranks) {
    const auto options = std::make_shared<SolveOptions>();
    CLI::App& command = *program.add_subcommand("solve", "Solve A x = b for symmetric positive definite A");
    command.group("Commands");
    add_solve_options(command, *options);
    command.callback([options, &chosen, &on_ranks] {
        chosen = [options, &on_ranks](const RunInfo& run) {
            return on_ranks.solve ? on_ranks.solve(*options, run) : solve(*options, run);
        };
    });
}

}  // namespace stiefel::cli
