#include "stiefel/cli/command.hpp"
#include "stiefel/cli/eigen/eigen_pairs.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/report/report_files.hpp"
#include "stiefel/core/timing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

namespace stiefel::cli {

namespace {

void print_report(const EigenCommandOptions& options, const EigenReport& report) {
    if (!options.quiet) print_notes(report.notes);
    if (!options.quiet && !options.uses_stdout()) {
        print(report_text(report, terminal_width(STDOUT_FILENO)));
    } else if (!report.is_converged()) {
        print_message(fmt::format("{}: {}, largest residual {:.2e}", report.matrix.path, outcome(report),
                                  report.result.worst_residual()));
    }
}

ExitCode eigen(EigenCommandOptions& options) {
    const Stopwatch since_start;
    std::signal(SIGPIPE, SIG_IGN);  // a reader of the report that goes away must not cost the other outputs
    check_eigen_options(options);
    StatusLine status(options.quiet);
    EigenReport report = options.precision == Precision::single ? find_eigenpairs<float>(options, status)
                                                                : find_eigenpairs<double>(options, status);
    report.seconds.total = since_start.seconds();
    write_text("--history", options.history, history_csv(report.result.history), report.failures);
    write_text("--json", options.json, json_text(report), report.failures);
    print_report(options, report);
    for (const std::string& failure : report.failures) print_message(failure);
    if (!report.failures.empty()) return ExitCode::no_resources;
    return exit_code_of(report.result.reason);
}

}  // namespace

void add_eigen_command(CLI::App& program, CommandBody& chosen) {
    const auto options = std::make_shared<EigenCommandOptions>();
    CLI::App& command =
        *program.add_subcommand("eigen", "Find eigenvalues and eigenvectors at an end of the spectrum of symmetric A");
    command.group("Commands");
    add_eigen_options(command, *options);
    command.callback([options, &chosen] { chosen = [options] { return eigen(*options); }; });
}

}  // namespace stiefel::cli
