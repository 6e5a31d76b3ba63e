#include "stiefel/cli/report/html_page.hpp"

#include "stiefel/cli/report/figures/svg.hpp"
#include "stiefel/cli/report/html_style.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/version.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::cli {

namespace {

/// JSON as it may stand in an element of HTML: what could end that element, or begin a comment, is written otherwise.
std::string json_in_html(std::string_view json) {
    std::string safe;
    for (const char c : json) {
        if (c == '<') safe += "\\u003c";
        if (c != '<') safe += c;
    }
    return safe;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Escaped text in which no line is broken within a number such as 1e-08.
std::string words_of(std::string_view text) {
    std::string html;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t minus = text.find("e-", at);
        if (minus == text.npos || minus + 2 >= text.size() || minus == at || !is_digit(text[minus - 1]) ||
            !is_digit(text[minus + 2])) {
            const std::size_t end = minus == text.npos ? text.size() : minus + 2;
            html += html_escaped(text.substr(at, end - at));
            at = end;
            continue;
        }
        std::size_t begin = minus, end = minus + 2;
        while (begin > at && (is_digit(text[begin - 1]) || text[begin - 1] == '.')) --begin;
        while (end < text.size() && is_digit(text[end])) ++end;
        html += html_escaped(text.substr(at, begin - at));
        html += fmt::format("<span class=\"number\">{}</span>", text.substr(begin, end - begin));
        at = end;
    }
    return html;
}

}  // namespace

HtmlPage::HtmlPage(std::string_view command, std::string_view subject, const Verdict& verdict) {
    body_ = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0} - {1}</title>\n<style>{2}\n</style>\n</head>\n<body>\n<p class=\"faint\">{1}</p>\n<h1>{0}</h1>\n"
        "<section class=\"verdict {3}\" id=\"verdict\">\n<p class=\"outcome {3}\">{4}</p>\n",
        html_escaped(subject), html_escaped(command), html_style, verdict.is_good ? "good" : "bad",
        html_escaped(verdict.outcome));
    for (const std::string& sentence : verdict.sentences) body_ += fmt::format("<p>{}</p>\n", words_of(sentence));
    if (!verdict.advice.empty()) {
        body_ += "<p>What may help:</p>\n<ul>\n";
        for (const std::string& help : verdict.advice) body_ += fmt::format("<li>{}</li>\n", words_of(help));
        body_ += "</ul>\n";
    }
    body_ += "</section>\n";
}

void HtmlPage::heading(std::string_view text) {
    body_ += fmt::format("<h2>{}</h2>\n", html_escaped(text));
}

void HtmlPage::paragraph(std::string_view text) {
    body_ += fmt::format("<p class=\"faint\">{}</p>\n", html_escaped(text));
}

void HtmlPage::facts(const Facts& facts) {
    body_ += "<dl>\n";
    for (const auto& [name, text] : facts) {
        body_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escaped(name), words_of(text));
    }
    body_ += "</dl>\n";
}

void HtmlPage::table(const Table& table) {
    const auto add_row = [&](std::string_view tag, auto&& text_of) {
        body_ += "<tr>";
        for (std::size_t j = 0; j < table.columns.size(); ++j) {
            const bool is_figures = j > 0 && table.columns[j].is_figures;
            body_ +=
                fmt::format("<{0}{1}>{2}</{0}>", tag, is_figures ? " class=\"figures\"" : "", html_escaped(text_of(j)));
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

void HtmlPage::stacked_times(const std::vector<TimePart>& parts) {
    double total = 0;
    for (const TimePart& part : parts) total += part.seconds;
    if (!(total > 0)) return;
    body_ += fmt::format("<figure>{}</figure>\n<table class=\"times\">\n", time_bar_svg(parts));
    for (const TimePart& part : parts) {
        body_ += fmt::format(
            "<tr><td><span class=\"swatch {}\"></span>{}</td><td class=\"figures\">{}</td>"
            "<td class=\"figures\">{:.1f} %</td></tr>\n",
            part.css_class, html_escaped(part.name), format_seconds(part.seconds), 100 * part.seconds / total);
    }
    body_ +=
        fmt::format("<tr><td>total</td><td class=\"figures\">{}</td><td></td></tr>\n</table>\n", format_seconds(total));
}

void HtmlPage::figures(const std::vector<Figure>& figures) {
    body_ += "<div class=\"pair\">\n";
    for (const Figure& figure : figures) {
        body_ +=
            fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", figure.svg, html_escaped(figure.caption));
    }
    body_ += "</div>\n";
}

void HtmlPage::run(const RunInfo& run, const ComputationReport::Backend& backend) {
    heading("Environment");
    Facts all{{"begun", run.date},
              {"host", fmt::format("{}, {}", run.host, run.system)},
              {"processor",
               fmt::format("{}, {} to be used", run.processor, counted(run.logical_processors, "logical processor"))},
              {"threads", std::to_string(backend.threads)}};
    if (!backend.software.empty()) all.emplace_back("device", with_reason(backend.device, backend.software));
    const std::string of_commit = run.commit.empty() ? "" : fmt::format(" (commit {})", run.commit);
    all.emplace_back("program", fmt::format("stiefel {}{}, built with {}", version, of_commit, run.compiler));
    facts(all);
    heading("Repeat this run");
    body_ += fmt::format("<pre>{}</pre>\n", html_escaped(run.command_line));
}

void HtmlPage::json(std::string_view json) {
    paragraph("The report for programs, as --json writes it, is in this page's element 'report'.");
    body_ += fmt::format("<script type=\"application/json\" id=\"report\">\n{}</script>\n", json_in_html(json));
}

std::string HtmlPage::text() const {
    return body_ + "</body>\n</html>\n";
}

}  // namespace stiefel::cli
