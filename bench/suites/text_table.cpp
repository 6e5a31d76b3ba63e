#include "bench/suites/text_table.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::bench {

std::string TextTable::text() const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const auto& row : rows_) {
        for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], row[j].size());
    }
    std::string page;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t j = 0; j < row.size(); ++j) {
            const std::string gap = j > 0 ? "  " : "";
            line += j < n_names_ ? fmt::format("{}{:<{}}", gap, row[j], widths[j])
                                 : fmt::format("{}{:>{}}", gap, row[j], widths[j]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        page += line + '\n';
    }
    return page;
}

std::string giga(double per_second) {
    return per_second > 0 ? cli::format_rate(per_second / 1e9) : "-";
}

std::string percent(double share) {
    return share > 0 ? fmt::format("{:.0f} %", 100 * share) : "-";
}

std::string times(double ratio) {
    return ratio > 0 ? fmt::format("{}x", cli::format_rate(ratio)) : "-";
}

std::string time_text(double seconds) {
    return seconds > 0 ? cli::format_seconds(seconds) : "-";
}

}  // namespace stiefel::bench
