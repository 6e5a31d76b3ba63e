#include "bench/suites/spmv_suite.hpp"
#include "bench/suites/record_groups.hpp"
#include "bench/suites/sparse_cases.hpp"
#include "bench/suites/suite_matrices.hpp"
#include "bench/suites/text_table.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

namespace {

/// What speed-ups of a matrix refer to: its best rung of CSR on one thread of the serial backend.
double serial_csr_seconds(const Records& of_matrix) {
    const CaseRecord* const record = fastest(with(with(of_matrix, "backend", "serial"), "format", "csr"));
    return record == nullptr ? 0 : record->median_seconds();
}

void add_spmv_rows(const std::string& matrix, const Records& records, const SuiteMachine& machine, TextTable& table) {
    const double baseline = serial_csr_seconds(records);
    std::string name = matrix;
    for (const std::string& format : values_of(records, "format")) {
        const CaseRecord* const best = fastest(with(records, "format", format));
        if (best == nullptr) continue;
        const double seconds = best->median_seconds();
        table.add({name, label_text(best->labels, "kernel"), place_text(best->labels), time_text(seconds),
                   time_text(best->mean_seconds()), giga(flops_per_second(*best)),
                   percent(share_of_bandwidth(*best, machine)), times(baseline / seconds),
                   times(best->value("convert_seconds") / seconds)});
        name = "";
    }
}

}  // namespace

std::vector<Case> spmv_suite_cases(const SuiteOptions& options) {
    std::vector<Case> cases;
    for (const SuiteMatrix& matrix : suite_matrices(options)) {
        add_spmv_cases({{{"matrix", matrix.name}}, matrix.weight, matrix.make}, FormatRange::all_shapes,
                       options.backends, cases);
    }
    return cases;
}

std::string spmv_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header) {
    TextTable table(
        {"matrix", "best rung", "on", "median", "mean", "GFLOP/s", "of copy", "of serial csr", "conversion"}, 3);
    const Records all = pointers(cases);
    for (const std::string& matrix : values_of(all, "matrix")) {
        add_spmv_rows(matrix, with(all, "matrix", matrix), header.machine, table);
    }
    return "y = A x: the fastest rung of each format; conversion from CSR in products\n" +
           machine_text(header.machine) + "\n" + table.text() + refusals_text(cases);
}

}  // namespace stiefel::bench
