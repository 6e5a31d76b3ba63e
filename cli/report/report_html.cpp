#include "stiefel/cli/report/report_html.hpp"

#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/residual_plot.hpp"
#include "stiefel/cli/version.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::cli {

namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; --ink: #1c2024; --faint: #6b7280; --line: #d9dde3; --paper: #fff; --accent: #2563eb;
        --good: #15803d; --bad: #b91c1c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --faint: #9aa3af; --line: #374151; --paper: #14171a; --accent: #60a5fa; --good: #4ade80;
          --bad: #f87171; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 50rem;
       margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }  h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
.outcome { font-size: 1.15rem; font-weight: 600; margin: .3rem 0 1.5rem; }
.good { color: var(--good); }  .bad { color: var(--bad); }  .faint, footer { color: var(--faint); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .3rem 1rem .3rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 500; color: var(--faint); white-space: nowrap; }
.numbers td + td, .numbers th + th { text-align: right; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--faint); }
svg path { fill: none; }  .axis { stroke: var(--faint); }  .grid { stroke: var(--line); }
.curve { stroke: var(--accent); stroke-width: 1.5; stroke-linejoin: round; }
.target { stroke: var(--good); stroke-dasharray: 5 4; }
.bar { background: var(--accent); height: .6rem; border-radius: 2px; min-width: 1px; }
td.wide { width: 50%; }
footer { margin-top: 3rem; font-size: .85rem; })";

std::string escaped(std::string_view text) {
    std::string safe;
    for (char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

std::string fact(std::string_view name, std::string_view text) {
    return fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, escaped(text));
}

std::string with_reason(std::string_view what, std::string_view reason) {
    return reason.empty() ? std::string(what) : fmt::format("{} ({})", what, reason);
}

std::string result_table(const SolveReport& report) {
    const SolveResult& result = report.result;
    std::string table = "<table>\n";
    table += fact("relative residual",
                  fmt::format("{:.3e}, computed afresh from x", unsigned_nan(result.relative_residual)));
    table +=
        fact("by recurrence", fmt::format("{:.3e}, {} from the true residual", unsigned_nan(result.recurrence_residual),
                                          counted(result.restarts, "restart")));
    table += fact("tolerance", fmt::format("rtol {}, atol {}", format_residual(report.method.rtol),
                                           format_residual(report.method.atol)));
    if (report.error) table += fact("max |x - 1|", fmt::format("{:.3e}", unsigned_nan(*report.error)));
    if (!report.solution_path.empty()) table += fact("x", report.solution_path);
    for (const std::string& help : advice(report)) table += fact("what may help", help);
    for (const std::string& note : report.notes) table += fact("note", note);
    return table + "</table>\n";
}

std::string system_table(const SolveReport& report) {
    const SolveReport::Matrix& matrix = report.matrix;
    const SolveReport::Method& method = report.method;
    const SolveReport::Backend& backend = report.backend;
    std::string table = "<table>\n";
    table += fact("matrix", fmt::format("{} x {}, {}, stored as {}", grouped(matrix.n_rows), grouped(matrix.n_cols),
                                        counted(matrix.nnz, "nonzero"), matrix.symmetry));
    table += fact("right-hand side", fmt::format("{}, |b| = {}", method.rhs, format_residual(report.result.rhs_norm)));
    if (!method.guess.empty()) table += fact("guess", method.guess);
    table += fact("method", fmt::format("conjugate gradients in {} precision, {}", method.precision,
                                        budget_text(method.max_iterations, method.time_limit)));
    table += fact("preconditioner", with_reason(method.preconditioner, method.preconditioner_reason));
    table += fact("format", fmt::format("{}, {}", matrix.format, format_bytes(matrix.bytes)));
    table += fact("kernel", with_reason(method.kernel, method.kernel_reason));
    table +=
        fact("backend", fmt::format("{}, {}, {}", backend.name, counted(backend.threads, "thread"), backend.device));
    table += fact("memory", fmt::format("at most {}", format_bytes(report.peak_memory_bytes)));
    return table + "</table>\n";
}

std::string time_table(const SolveReport::Seconds& seconds) {
    std::string table = "<table class=\"numbers\">\n";
    for (const auto& [name, value] : time_parts(seconds)) {
        table += fmt::format(
            "<tr><td>{}</td><td>{}</td><td class=\"wide\"><div class=\"bar\" "
            "style=\"width:{:.1f}%\"></div></td></tr>\n",
            name, format_seconds(value), 100 * value / std::max(seconds.total, 1e-9));
    }
    return table +
           fmt::format("<tr><td>total</td><td>{}</td><td></td></tr>\n</table>\n", format_seconds(seconds.total));
}

std::string kernel_table(const SolveReport& report) {
    std::string table =
        "<table class=\"numbers\">\n<tr><th>kernel</th><th>calls</th><th>time</th><th>GB/s</th><th>GFLOP/s</th>"
        "<th>of the read bandwidth</th></tr>\n";
    for (const KernelTime& kernel : report.result.kernels) {
        const KernelRates rates = rates_of(kernel, report.read_bandwidth);
        table +=
            fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", kernel.name,
                        grouped(kernel.calls), format_seconds(kernel.seconds), format_rate(rates.gbytes_per_s),
                        format_rate(rates.gflops),
                        rates.fraction_of_bandwidth ? fmt::format("{:.2f}", *rates.fraction_of_bandwidth) : "in cache");
    }
    table +=
        "</table>\n<p class=\"faint\">Bytes are the least that a kernel must move: every input read once, every "
        "output written once.";
    if (report.read_bandwidth) {
        table += fmt::format(" Measured read bandwidth of this machine: {} GB/s.",
                             format_rate(*report.read_bandwidth * 1e-9));
    }
    return table + "</p>\n";
}

}  // namespace

std::string html_text(const SolveReport& report) {
    const std::string title = escaped(report.matrix.path);
    const double absolute = report.result.rhs_norm > 0 ? report.method.atol / report.result.rhs_norm : 0;
    std::string page = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{} - stiefel solve</title>\n<style>{}\n</style>\n</head>\n<body>\n<h1>{}</h1>\n"
        "<p class=\"outcome {}\">{}</p>\n",
        title, style, title, report.is_converged() ? "good" : "bad", escaped(outcome(report)));
    page += result_table(report);
    page += "<h2>Relative residual, by recurrence</h2>\n";
    page += residual_svg(report.result.history, std::max(report.method.rtol, absolute)) + "\n";
    page += "<h2>System and method</h2>\n" + system_table(report);
    page += "<h2>Time</h2>\n" + time_table(report.seconds);
    if (report.result.iterations > 0) page += "<h2>Kernels</h2>\n" + kernel_table(report);
    page += fmt::format("<footer>stiefel {}</footer>\n</body>\n</html>\n", version);
    return page;
}

}  // namespace stiefel::cli
