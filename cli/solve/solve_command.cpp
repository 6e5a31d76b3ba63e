#include "stiefel/cli/command.hpp"
#include "stiefel/cli/file_words.hpp"
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

void write_outputs(const SolveOptions& options, SolveReport& report) {
    write_text("--history", options.history, history_csv(report.result.history), report.failures);
    write_text("--report", options.report, html_text(report), report.failures);
    write_text("--json", options.json, json_text(report), report.failures);
}

void print_report(const SolveOptions& options, const SolveReport& report) {
    const bool is_printed = !options.quiet && !options.uses_stdout();
    if (!options.quiet) print_notes(report.notes);
    if (is_printed) {
        print(report_text(report, terminal_width(STDOUT_FILENO)));
    } else if (!report.is_converged()) {
        print_message(fmt::format("{}: {}, |b - A x| / |b| = {:.2e}", report.matrix.path, outcome(report),
                                  report.result.relative_residual));
    }
}

ExitCode solve(const SolveOptions& options) {
    const Stopwatch since_start;
    std::signal(SIGPIPE, SIG_IGN);  // a reader of the report that goes away must not cost the other outputs
    check_solve_options(options);
    StatusLine status(options.quiet);
    SolveReport report = options.precision == Precision::single ? solve_system<float>(options, status)
                                                                : solve_system<double>(options, status);
    report.seconds.total = since_start.seconds();
    write_outputs(options, report);
    print_report(options, report);
    for (const std::string& failure : report.failures) print_message(failure);
    if (!report.failures.empty()) return ExitCode::no_resources;
    return exit_code_of(report.result.reason);
}

}  // namespace

void add_solve_command(CLI::App& program, CommandBody& chosen) {
    const auto options = std::make_shared<SolveOptions>();
    CLI::App& command = *program.add_subcommand("solve", "Solve A x = b for symmetric positive definite A");
    command.group("Commands");
    add_solve_options(command, *options);
    command.callback([options, &chosen] { chosen = [options] { return solve(*options); }; });
}

}  // namespace stiefel::cli
