#include "stiefel/cli/command.hpp"
#include "stiefel/cli/eigen/eigen_pairs.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/report_files.hpp"
#include "stiefel/core/timing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

namespace stiefel::cli {

namespace {

void print_report(const EigenCommandOptions& options, const EigenReport& report) {
    if (!options.quiet) print_notes(report.notes);
    const bool is_printed = !options.quiet && !options.uses_stdout();
    if (is_printed) print(report_text(report, terminal_width(STDOUT_FILENO)));
    if (report.fault || (!is_printed && !report.is_converged())) {
        const double residual = unsigned_nan(report.result.worst_residual());
        print_message(fmt::format("{}: {}{}", report.matrix.path, outcome(report),
                                  report.fault ? "" : fmt::format(", largest residual {:.2e}", residual)));
    }
}

ExitCode eigen(EigenCommandOptions& options, const RunInfo& run) {
    const Stopwatch since_start;
    std::signal(SIGPIPE, SIG_IGN);  // a reader of the report that goes away must not cost the other outputs
    check_eigen_options(options);
    const InterruptGuard guard;
    StatusLine status(options.quiet);
    EigenReport report = options.precision == Precision::single ? find_eigenpairs<float>(options, status)
                                                                : find_eigenpairs<double>(options, status);
    report.run = run;
    report.seconds.total = since_start.seconds();
    try_reports(options, report);
    try_output("report", report.failures, [&] { print_report(options, report); });
    for (const std::string& failure : report.failures) print_message(failure);
    return final_exit_code(report);
}

}  // namespace

void add_eigen_command(CLI::App& program, CommandBody& chosen) {
    const auto options = std::make_shared<EigenCommandOptions>();
    CLI::App& command =
        *program.add_subcommand("eigen", "Find eigenvalues and eigenvectors at an end of the spectrum of symmetric A");
    command.group("Commands");
    add_eigen_options(command, *options);
    command.callback([options, &chosen] { chosen = [options](const RunInfo& run) { return eigen(*options, run); }; });
}

}  // namespace stiefel::cli
