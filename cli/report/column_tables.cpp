#include "stiefel/cli/report/column_tables.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::cli {

Table columns_table(const SolveReport& report, std::size_t most) {
    Table table{
        .columns = {{"column", 11}, {"|b|", 12}, {"iterations", 14}, {"|b - A x| / |b|", 18}, {"ended as", 0, false}}};
    for (std::size_t j = 0; j < std::min(most, report.columns.size()); ++j) {
        const SolveReport::Column& column = report.columns[j];
        table.rows.push_back({std::to_string(j + 1), format_residual(column.rhs_norm), grouped(column.iterations),
                              format_residual(column.relative_residual), std::string(reason_word(column.reason))});
    }
    return table;
}

Table comparison_table(const SolveReport& report) {
    Table table{.columns = {{"way", 18}, {"iterations", 12}, {"time", 11}, {"largest |b - A x| / |b|", 25}}};
    if (!report.one_by_one) return table;
    const auto add = [&](const char* way, Size iterations, double seconds, double residual) {
        table.rows.push_back({way, grouped(iterations), format_seconds(seconds), format_residual(residual)});
    };
    add("together", report.result.iterations, report.seconds.solve, report.result.relative_residual);
    const SolveReport::Comparison& cg = *report.one_by_one;
    add("one after another", cg.iterations, cg.seconds, cg.relative_residual);
    return table;
}

std::string comparison_text(const SolveReport& report) {
    return fmt::format("together {:.2f} times as fast as one after another",
                       report.one_by_one->seconds / report.seconds.solve);
}

}  // namespace stiefel::cli
