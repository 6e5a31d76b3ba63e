#include "bench/suites/record_groups.hpp"
#include "bench/suites/sparse_cases.hpp"
#include "bench/suites/spmv_suite.hpp"
#include "bench/suites/suite_matrices.hpp"
#include "bench/suites/text_table.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

namespace {

/// Those whose panels and results of this width are no more than a few times the matrix: 24 bytes a row and column.
void add_panels(const SuiteMatrix& matrix, const SuiteOptions& options, std::vector<Case>& cases) {
    const std::vector<Index> columns =
        options.quick ? std::vector<Index>{3, 32} : std::vector<Index>{3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
    const auto make = [=, widest = columns.back()] {
        HostCsr<double> a = matrix.make();
        require_memory(options, 48.0 * (a.n_rows + 0.5 * a.n_cols) * widest + 36.0 * static_cast<double>(a.nnz()),
                       matrix.name + " with its widest panels");
        return a;
    };
    add_spmm_cases({{{"matrix", matrix.name}}, matrix.weight, make}, columns, FormatRange::one_each, options.backends,
                   cases);
}

void add_rows(const std::string& matrix, const Records& records, const SuiteMachine& machine, TextTable& table) {
    std::string name = matrix;
    double per_column = 0;
    for (const std::string& columns : values_of(records, "columns")) {
        const CaseRecord* const best = fastest(with(records, "columns", columns));
        if (best == nullptr) continue;
        const double seconds = best->median_seconds();
        const double now = seconds / label_number(best->labels, "columns");
        if (per_column == 0) per_column = now;
        table.add({name, label_text(best->labels, "kernel"), place_text(best->labels), columns, time_text(seconds),
                   giga(flops_per_second(*best)), percent(share_of_bandwidth(*best, machine)), times(per_column / now),
                   fmt::format("{:.1e}", best->value("max_relative_error")),
                   fmt::format("{:.1e}", best->value("mean_relative_error"))});
        name = "";
    }
}

}  // namespace

std::vector<Case> spmm_suite_cases(const SuiteOptions& options) {
    std::vector<Case> cases;
    for (const SuiteMatrix& matrix : suite_matrices(options)) {
        // What takes less than microseconds tells little of panels.
        const bool is_tiny = options.matrices.empty() && matrix.weight < 0.005;
        if (!options.quick || !is_tiny) add_panels(matrix, options, cases);
    }
    return cases;
}

std::string spmm_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header) {
    TextTable table(
        {"matrix", "best rung", "on", "columns", "time", "GFLOP/s", "of copy", "a column", "max error", "mean"}, 3);
    const Records all = pointers(cases);
    for (const std::string& matrix : values_of(all, "matrix")) {
        add_rows(matrix, with(all, "matrix", matrix), header.machine, table);
    }
    return "Y = A X: the fastest rung for each number of columns; a column: how much faster each is than in the "
           "narrowest "
           "panel;\nerrors relative to the sums of absolute products\n" +
           machine_text(header.machine) + "\n" + table.text() + refusals_text(cases);
}

}  // namespace stiefel::bench
