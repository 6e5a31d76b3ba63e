#include "stiefel/cli/command.hpp"
#include "stiefel/cli/computing_command.hpp"
#include "stiefel/cli/eigen/eigen_pairs.hpp"

#include <CLI/CLI.hpp>

namespace stiefel::cli {

namespace {

ExitCode eigen(EigenCommandOptions& options, const RunInfo& run) {
    return compute_and_report(options, run, [&](StatusLine& status) {
        check_eigen_options(options);
        return options.precision == Precision::single ? find_eigenpairs<float>(options, status)
                                                      : find_eigenpairs<double>(options, status);
    });
}

}  // namespace

void add_eigen_command(CLI::App& program, CommandBody& chosen, const CommandsOnRanks& on_ranks) {
    const auto options = std::make_shared<EigenCommandOptions>();
    CLI::App& command =
        *program.add_subcommand("eigen", "Find eigenvalues and eigenvectors at an end of the spectrum of symmetric A");
    command.group("Commands");
    add_eigen_options(command, *options);
    command.callback([options, &chosen, &on_ranks] {
        chosen = [options, &on_ranks](const RunInfo& run) {
            return on_ranks.eigen ? on_ranks.eigen(*options, run) : eigen(*options, run);
        };
    });
}

}  // namespace stiefel::cli
