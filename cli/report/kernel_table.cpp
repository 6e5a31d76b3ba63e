#include "stiefel/cli/report/kernel_table.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

Table kernel_table(const std::vector<KernelTime>& kernels, double seconds, std::optional<double> read_bandwidth) {
    const std::string bandwidth =
        read_bandwidth ? fmt::format("of {} GB/s", format_rate(*read_bandwidth * 1e-9)) : "of bandwidth";
    Table table{
        .columns = {
            {"kernel", 14}, {"calls", 8}, {"time", 11}, {"share", 8}, {"GB/s", 9}, {"GFLOP/s", 10}, {bandwidth, 15}}};
    for (const KernelTime& kernel : kernels) {
        if (kernel.calls == 0) continue;
        const double share = seconds > 0 ? 100 * kernel.seconds / seconds : 0;
        std::vector<std::string> row{std::string(kernel.name), grouped(kernel.calls), format_seconds(kernel.seconds),
                                     fmt::format("{:.0f} %", share)};
        const bool is_counted = kernel.work.bytes > 0;
        const KernelRates rates = rates_of(kernel, read_bandwidth);
        const std::string fraction =
            rates.fraction_of_bandwidth ? fmt::format("{:.2f}", *rates.fraction_of_bandwidth) : "in cache";
        for (const std::string& cell : {format_rate(rates.gbytes_per_s), format_rate(rates.gflops), fraction}) {
            row.push_back(is_counted ? cell : "");
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace stiefel::cli
