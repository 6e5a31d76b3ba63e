#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/output_options.hpp"
#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/cli/report/report_files.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/timing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace stiefel::cli {

/// The report on standard output; where that belongs to something else, one line on standard error for what did not go
/// well.
template <class Report>
void print_report(const OutputWords& words, const Report& report) {
    const bool is_printed = !words.quiet && !words.uses_stdout();
    if (!words.quiet) print_notes(report.notes);
    if (is_printed) print(report_text(report, terminal_width(STDOUT_FILENO)));
    if (report.fault || (!is_printed && !report.is_converged())) {
        const std::string residual = residual_text(report);
        print_message(
            fmt::format("{}: {}{}{}", report.matrix.path, outcome(report), residual.empty() ? "" : ", ", residual));
    }
}

/// What a command that computes does around compute(status), which gives the report: signals, times, all forms of the
/// report, and the exit code.
template <class Compute>
ExitCode compute_and_report(const OutputWords& words, const RunInfo& run, Compute&& compute) {
    const Stopwatch since_start;
    std::signal(SIGPIPE, SIG_IGN);  // a reader of the report that goes away must not cost the other outputs
    const InterruptGuard guard;
    StatusLine status(words.quiet);
    auto report = compute(status);
    report.run = run;
    report.seconds.total = since_start.seconds();
    try_reports(words, report);
    try_output("report", report.failures, [&] { print_report(words, report); });
    for (const std::string& failure : report.failures) print_message(failure);
    return final_exit_code(report, report.result.reason);
}

}  // namespace stiefel::cli
