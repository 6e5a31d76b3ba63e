#include "bench/suites/gemm_suite.hpp"
#include "bench/suites/record_groups.hpp"
#include "bench/suites/text_table.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

namespace {

/// GFLOP/s, a row for each way to compute and a column for each size.
std::string by_size(const Records& records, const std::string& part, const std::string& extra) {
    const Records of_part = with(records, "part", part);
    if (of_part.empty()) return "";
    const std::vector<std::string> sizes = values_of(of_part, "n");
    std::vector<std::string> titles{"kernel", "on"};
    if (!extra.empty()) titles.push_back(extra);
    const std::size_t n_names = titles.size();
    titles.insert(titles.end(), sizes.begin(), sizes.end());
    TextTable table(titles, n_names);
    for (const Records& here : by_place(of_part)) {
        for (const std::string& kernel : values_of(here, "kernel")) {
            for (const std::string& setting : values_of(with(here, "kernel", kernel), extra)) {
                const Records of_row = with(with(here, "kernel", kernel), extra, setting);
                std::vector<std::string> row{kernel, place_text(of_row.front()->labels)};
                if (!extra.empty()) row.push_back(setting);
                for (const std::string& n : sizes) {
                    const CaseRecord* const record = fastest(with(of_row, "n", n));
                    row.push_back(record == nullptr ? "-" : giga(flops_per_second(*record)));
                }
                table.add(std::move(row));
            }
        }
    }
    return fmt::format("\n{}\n{}", part, table.text());
}

}  // namespace

std::string gemm_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header) {
    const Records records = pointers(cases);
    return "C = A B, n x n in double precision, GFLOP/s by n; - was refused\n" + machine_text(header.machine) +
           by_size(records, "ladder", "") + by_size(records, "schedules", "schedule") +
           by_size(records, "tiles", "tile");
}

}  // namespace stiefel::bench
