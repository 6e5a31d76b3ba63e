#include "stiefel/cli/report/html_page.hpp"

#include "stiefel/cli/report/kernel_table.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/version.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::cli {

namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; --ink: #1c2024; --faint: #667085; --line: #d9dde3; --paper: #fff; --accent: #2563eb;
        --good: #15803d; --bad: #b91c1c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --faint: #9aa3af; --line: #374151; --paper: #14171a; --accent: #60a5fa; --good: #4ade80;
          --bad: #f87171; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 50rem;
       margin: 3rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0; }  h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
.outcome { font-size: 1.15rem; font-weight: 600; margin: .3rem 0 1.5rem; }
.good { color: var(--good); }  .bad { color: var(--bad); }  p.faint { color: var(--faint); font-size: .9rem; }
dl { display: grid; grid-template-columns: minmax(9rem, max-content) 1fr; margin: 0; }
dt, dd { margin: 0; padding: .3rem 0; border-bottom: 1px solid var(--line); }
dt { color: var(--faint); padding-right: 1.5rem; }
.scroll { overflow: auto; max-height: 32rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; white-space: nowrap; padding: .3rem 0 .3rem 1.2rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: 0; }
th { font-weight: 500; color: var(--faint); position: sticky; top: 0; background: var(--paper); }
.figures { text-align: right; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--faint); }
svg path { fill: none; vector-effect: non-scaling-stroke; }  .axis { stroke: var(--faint); }  .grid { stroke: var(--line); }
.curve { stroke: var(--accent); stroke-width: 1.5; stroke-linejoin: round; }
.target { stroke: var(--good); stroke-dasharray: 5 4; }
.bar { background: var(--accent); height: .6rem; border-radius: 2px; min-width: 1px; }
td.wide { width: 50%; }
@media (max-width: 40rem) {
  body { margin-top: 1.5rem; }
  dl { display: block; }  dt { border: 0; padding: .5rem 0 0; font-size: .9rem; }  dd { padding-top: 0; }
  table { font-size: .9rem; }  th, td { padding-left: .8rem; }  svg { font-size: 21px; }  svg .between { display: none; } })";

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
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

}  // namespace

HtmlPage::HtmlPage(std::string_view command, std::string_view subject, std::string_view outcome, bool is_good) {
    body_ = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0} - {1}</title>\n<style>{2}\n</style>\n</head>\n<body>\n<h1>{0}</h1>\n"
        "<p class=\"outcome {3}\">{4}</p>\n",
        escaped(subject), escaped(command), style, is_good ? "good" : "bad", escaped(outcome));
}

void HtmlPage::heading(std::string_view text) {
    body_ += fmt::format("<h2>{}</h2>\n", escaped(text));
}

void HtmlPage::paragraph(std::string_view text) {
    body_ += fmt::format("<p class=\"faint\">{}</p>\n", escaped(text));
}

void HtmlPage::facts(const Facts& facts) {
    body_ += "<dl>\n";
    for (const auto& [name, text] : facts) {
        body_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(text));
    }
    body_ += "</dl>\n";
}

void HtmlPage::table(const Table& table) {
    const auto add_row = [&](std::string_view tag, auto&& text_of) {
        body_ += "<tr>";
        for (std::size_t j = 0; j < table.columns.size(); ++j) {
            const bool is_figures = j > 0 && table.columns[j].is_figures;
            body_ += fmt::format("<{0}{1}>{2}</{0}>", tag, is_figures ? " class=\"figures\"" : "", escaped(text_of(j)));
        }
        body_ += "</tr>\n";
    };
    body_ += "<div class=\"scroll\" tabindex=\"0\"><table>\n";
    add_row("th", [&](std::size_t j) { return table.columns[j].title; });
    for (const auto& row : table.rows) add_row("td", [&](std::size_t j) { return row[j]; });
    body_ += "</table></div>\n";
}

void HtmlPage::times(const std::vector<std::pair<const char*, double>>& parts, double total) {
    body_ += "<table>\n";
    for (const auto& [name, seconds] : parts) {
        if (!(seconds > 0)) continue;
        body_ += fmt::format(
            "<tr><td>{}</td><td class=\"figures\">{}</td>"
            "<td class=\"wide\"><div class=\"bar\" style=\"width:{:.1f}%\"></div></td></tr>\n",
            name, format_seconds(seconds), 100 * seconds / std::max(total, seconds));
    }
    body_ +=
        fmt::format("<tr><td>total</td><td class=\"figures\">{}</td><td></td></tr>\n</table>\n", format_seconds(total));
}

void HtmlPage::drawing(std::string_view svg) {
    body_ += svg;
    body_ += '\n';
}

void HtmlPage::run(const RunInfo& run, std::string_view device, std::string_view device_software) {
    heading("Run");
    Facts all{
        {"command line", run.command_line}, {"begun", run.date}, {"host", run.host}, {"processor", run.processor}};
    if (!device_software.empty()) all.emplace_back("device", with_reason(device, device_software));
    all.emplace_back("program", fmt::format("stiefel {}, built with {}", version, run.compiler));
    facts(all);
}

std::string HtmlPage::text() const {
    return body_ + "</body>\n</html>\n";
}

void add_kernels(HtmlPage& page, const std::vector<KernelTime>& kernels, double seconds,
                 std::optional<double> read_bandwidth) {
    if (std::none_of(kernels.begin(), kernels.end(), [](const KernelTime& k) { return k.calls > 0; })) return;
    page.heading("Kernels");
    page.table(kernel_table(kernels, seconds, read_bandwidth));
    std::string what = "Bytes are the least that a kernel must move: every input read once, every output written once.";
    if (read_bandwidth) {
        what += fmt::format(" Measured read bandwidth of this machine: {} GB/s.", format_rate(*read_bandwidth * 1e-9));
    }
    page.paragraph(what);
}

}  // namespace stiefel::cli
