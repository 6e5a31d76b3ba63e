#pragma once

#include "stiefel/cli/output_options.hpp"

#include <string>
#include <vector>

namespace stiefel::cli {

/// "iteration,relative_residual" and a line for each.
std::string history_csv(const std::vector<double>& history);

/// Writes a text where an option asks for it: "-" is standard output.
void write_text(const std::string& path, const std::string& text);

/// Makes and writes the output of an option, if it was given; see try_output.
template <class F>
void try_text(std::string_view flag, const std::string& path, std::vector<std::string>& failures, F&& make_text) {
    if (!path.empty()) try_output(flag, failures, [&] { write_text(path, make_text()); });
}

/// Writes all forms of a report that the options ask for but the one on standard output; what fails is told in it, so
/// that the JSON, the last, knows of the others.
template <class Report>
void try_reports(const OutputWords& words, Report& report) {
    try_text("--history", words.history, report.failures, [&] { return history_csv(report.result.history); });
    try_text("--report", words.report, report.failures, [&] { return html_text(report); });
    try_text("--json", words.json, report.failures, [&] { return json_text(report); });
}

}  // namespace stiefel::cli
