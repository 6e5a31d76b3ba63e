#include "stiefel/cli/command.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/outputs.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/report_files.hpp"
#include "stiefel/cli/report/report_html.hpp"
#include "stiefel/cli/report/report_json.hpp"
#include "stiefel/cli/report/report_text.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/solve/solve_system.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

namespace stiefel::cli {

namespace {

void print_report(const SolveOptions& options, const SolveReport& report) {
    const bool is_printed = !options.quiet && !options.uses_stdout();
    if (!options.quiet) print_notes(report.notes);
    if (is_printed) print(report_text(report, terminal_width(STDOUT_FILENO)));
    if (report.fault || (!is_printed && !report.is_converged())) {
        const double residual = unsigned_nan(report.result.relative_residual);
        print_message(fmt::format("{}: {}{}", report.matrix.path, outcome(report),
                                  report.n_begun() > 0 ? fmt::format(", |b - A x| / |b| = {:.2e}", residual) : ""));
    }
}

ExitCode solve(const SolveOptions& options, const RunInfo& run) {
    const Stopwatch since_start;
    std::signal(SIGPIPE, SIG_IGN);  // a reader of the report that goes away must not cost the other outputs
    check_solve_options(options);
    const InterruptGuard guard;
    StatusLine status(options.quiet);
    SolveReport report = options.precision == Precision::single ? solve_system<float>(options, status)
                                                                : solve_system<double>(options, status);
    report.run = run;
    report.seconds.total = since_start.seconds();
    try_reports(options, report);
    try_output("report", report.failures, [&] { print_report(options, report); });
    for (const std::string& failure : report.failures) print_message(failure);
    return final_exit_code(report);
}

}  // namespace

void add_solve_command(CLI::App& program, CommandBody& chosen) {
    const auto options = std::make_shared<SolveOptions>();
    CLI::App& command = *program.add_subcommand("solve", "Solve A x = b for symmetric positive definite A");
    command.group("Commands");
    add_solve_options(command, *options);
    command.callback([options, &chosen] { chosen = [options](const RunInfo& run) { return solve(*options, run); }; });
}

}  // namespace stiefel::cli
