#include "stiefel/cli/report/table.hpp"

#include "stiefel/cli/terminal/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace stiefel::cli {

namespace {

constexpr std::size_t gap = 2;

using Widths = std::vector<std::size_t>;

Widths widths_of(const Table& table) {
    Widths widths;
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
        const Table::Column& column = table.columns[j];
        std::size_t widest = column.title.size();
        for (const auto& row : table.rows) widest = std::max(widest, row[j].size());
        widths.push_back(std::max(column.width, widest + (j > 0 ? gap : 0)));
    }
    return widths;
}

template <class TextOf>
std::string line_of(const Table& table, const Widths& widths, TextOf&& text_of) {
    std::string line;
    for (std::size_t j = 0; j < widths.size(); ++j) {
        const std::string& text = text_of(j);
        const std::string space(widths[j] - text.size(), ' ');
        const std::string before(j > 0 ? gap : 0, ' ');
        line += j > 0 && table.columns[j].is_figures ? space + text : before + text + space.substr(before.size());
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

void add_side_by_side(LabelledLines& page, const Table& table, const Widths& widths) {
    const auto titles = [&](std::size_t j) -> const std::string& { return table.columns[j].title; };
    page.raw(styled(Style::faint, line_of(table, widths, titles)) + '\n');
    for (const auto& row : table.rows) {
        const auto cells = [&](std::size_t j) -> const std::string& { return row[j]; };
        page.raw(line_of(table, widths, cells) + '\n');
    }
}

void add_paragraphs(LabelledLines& page, const Table& table) {
    if (!table.columns[0].title.empty()) page.raw(styled(Style::faint, table.columns[0].title) + '\n');
    for (const auto& row : table.rows) {
        std::vector<std::string> items;
        for (std::size_t j = 1; j < row.size(); ++j) {
            const std::string& title = table.columns[j].title;
            if (!row[j].empty()) items.push_back(title.empty() ? row[j] : fmt::format("{} {}", title, row[j]));
        }
        // A name that leaves no room beside it, or would touch what follows, has a line of its own.
        const bool fits = row[0].size() < page.indent();
        if (!fits) page.raw(row[0] + '\n');
        page.add_list(fits ? row[0] : "", items);
    }
}

}  // namespace

void add_table(LabelledLines& page, const Table& table) {
    const Widths widths = widths_of(table);
    const std::size_t width = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
    if (width <= page.width()) {
        add_side_by_side(page, table, widths);
    } else {
        add_paragraphs(page, table);
    }
}

}  // namespace stiefel::cli
